package admission

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"trainshed.dev/engine/admission/customresource"
	"trainshed.dev/engine/admission/jobset"
	"trainshed.dev/engine/admission/judge"
	"trainshed.dev/engine/admission/kuberay"
	"trainshed.dev/engine/admission/kueue"
	"trainshed.dev/engine/admission/limits"
	"trainshed.dev/engine/admission/mpioperator"
	"trainshed.dev/engine/admission/trainer"
	"trainshed.dev/engine/admission/trainingoperator"
	"trainshed.dev/engine/admission/volcano"
	"trainshed.dev/engine/wire"
)

// operators are all whose code is linked, in the order in which they are asked.
var operators = []judge.Operator{
	trainingoperator.Operator,
	kuberay.Operator,
	mpioperator.Operator,
	jobset.Operator,
	trainer.Operator,
	volcano.Operator,
	kueue.Operator,
}

// setting says who judges, and by what.
type setting struct {
	// Schemas are folders of schema files, absolute, in the order in which they are looked into.
	Schemas    []string       `json:"schemas"`
	Kubernetes string         `json:"kubernetes"`
	Around     []judge.Object `json:"around"`
	// Operators are those that the cluster runs; null for all.
	Operators []string `json:"operators"`
	// Without are judges that are not asked.
	Without []string `json:"without"`
}

// chain gives those that a request is put before.
func (setting setting) chain() *chain {
	return &chain{
		schemas:   customresource.Load(setting.Schemas),
		around:    judge.NewSurroundings(setting.Kubernetes, setting.Around),
		operators: setting.asked(),
		without:   setting.Without,
	}
}

type judgeRequest struct {
	setting
	Objects []change `json:"objects"`
}

type change struct {
	Object judge.Object `json:"object"`
	Before judge.Object `json:"before"`
}

type judgeReply struct {
	Verdicts []Verdict `json:"verdicts"`
}

// Pod is a pod that will be made from a judged object, and where its parts were written.
type Pod struct {
	Role     string       `json:"role"`
	Count    int          `json:"count"`
	Object   judge.Object `json:"object"`
	Places   [][2]string  `json:"places"`
	Fallback string       `json:"fallback"`
}

// Judge answers with a verdict for each object.
func Judge(body json.RawMessage) (any, error) {
	request, err := decode[judgeRequest](body)
	if err != nil {
		return nil, err
	}
	chain := request.chain()
	verdicts := make([]Verdict, len(request.Objects))
	for index, change := range request.Objects {
		verdicts[index] = chain.judge(change.Object, change.Before)
	}
	return judgeReply{verdicts}, nil
}

type togetherRequest struct {
	setting
	// Objects are all that is applied to one cluster.
	Objects []judge.Object `json:"objects"`
}

type togetherReply struct {
	// Admissions are for the workloads that ask for a queue.
	Admissions []kueue.Admission `json:"admissions"`
	// Refusals are for each object.
	Refusals [][]judge.Refusal `json:"refusals"`
}

// Together says what only all objects of a cluster show: whether Kueue would ever let a workload run, and whether the
// quotas of a namespace hold all that is made in it.
func Together(body json.RawMessage) (any, error) {
	request, err := decode[togetherRequest](body)
	if err != nil {
		return nil, err
	}
	chain := request.chain()
	kept := make([]judge.Object, len(request.Objects))
	for index, object := range request.Objects {
		kept[index] = chain.kept(object)
	}
	reply := togetherReply{Admissions: []kueue.Admission{}, Refusals: make([][]judge.Refusal, len(kept))}
	if chain.asks("resource-quota") {
		reply.Refusals = limits.NamespaceRefusals(kept, chain.around)
	}
	if chain.asks("admission") {
		beside := append(chain.around.OfKind("ConfigMap"), chain.around.OfKind("Node")...)
		reply.Admissions, err = kueue.Admit(append(kept, beside...))
	}
	return reply, err
}

// decode reads a request whose schema folders are absolute.
func decode[T interface{ folders() []string }](body json.RawMessage) (T, error) {
	request, err := wire.Decode[T](body)
	if err != nil {
		return request, err
	}
	for _, folder := range request.folders() {
		if !filepath.IsAbs(folder) {
			return request, wire.Refuse("%s is not an absolute path", folder)
		}
	}
	return request, nil
}

func (setting setting) folders() []string { return setting.Schemas }

func (setting setting) asked() []judge.Operator {
	return slices.DeleteFunc(slices.Clone(operators), func(operator judge.Operator) bool {
		return slices.Contains(setting.Without, operator.Name) ||
			setting.Operators != nil && !slices.Contains(setting.Operators, operator.Name)
	})
}

func podOf(child judge.Child) Pod {
	places := make([][2]string, len(child.Places))
	for index, place := range child.Places {
		places[index] = [2]string{place.Child, place.Parent}
	}
	return Pod{child.Role, child.Count, child.Object, places, child.Fallback}
}
