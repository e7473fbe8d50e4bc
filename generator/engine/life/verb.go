package life

import (
	"encoding/json"
	"errors"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"trainshed.dev/engine/admission"
	"trainshed.dev/engine/wire"
)

type kindName = schema.GroupVersionKind

// request is a play: a world, and what happens to it, step by step. It is played from its beginning each time.
type request struct {
	Setting admission.Setting `json:"setting"`
	// Repository is the repoURL of the sources whose folders the commits hold.
	Repository string `json:"repository"`
	Steps      []step `json:"steps"`
}

// step is one thing that happens; then the world comes to rest.
type step struct {
	// Do is commit, apply, run, evict, finish, fail, fire, delete, edit, later, rebuild or upgrade.
	Do string `json:"do"`
	// Files is the repository after a commit.
	Files map[string]string `json:"files,omitempty"`
	// Folder is applied by hand.
	Folder string `json:"folder,omitempty"`
	subject
	// Patch is the JSON merge patch of an edit by hand.
	Patch json.RawMessage `json:"patch,omitempty"`
	// Setting is that of the upgraded cluster.
	Setting *admission.Setting `json:"setting,omitempty"`
}

// subject is the object that a step is about.
type subject struct {
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
}

type reply struct {
	Steps []outcome `json:"steps"`
	// Objects are all that live at the end, as kubectl get -o json shows them.
	Objects []map[string]any `json:"objects"`
}

// outcome is what came of a step.
type outcome struct {
	Events []event     `json:"events"`
	Apps   []appStatus `json:"apps"`
	Rounds int         `json:"rounds"`
	Rested bool        `json:"rested"`
}

// appStatus is how an Application shows at rest.
type appStatus struct {
	Name   string `json:"name"`
	Sync   string `json:"sync"`
	Health string `json:"health"`
	// Phase and Message are those of its last sync.
	Phase   string `json:"phase,omitempty"`
	Message string `json:"message,omitempty"`
	// Fault is why it cannot be compared, or is not synced.
	Fault string `json:"fault,omitempty"`
	// Differs are its objects that are not as Git has them.
	Differs []string `json:"differs,omitempty"`
}

// Live answers with what came of each step, and what lives at the end.
func Live(body json.RawMessage) (any, error) {
	request, err := wire.Decode[request](body)
	if err != nil {
		return nil, err
	}
	world := newWorld(request.Setting, request.Repository)
	answer := reply{Steps: []outcome{}, Objects: []map[string]any{}}
	for number, step := range request.Steps {
		if err := world.play(step); err != nil {
			return nil, wire.Refuse("step %d, %s: %v", number+1, step.Do, err)
		}
		rounds, rested := world.rest()
		answer.Steps = append(answer.Steps, outcome{world.log.take(), world.argo.apps(), rounds, rested})
	}
	for _, one := range world.store.list(func(*object) bool { return true }) {
		unstructured.RemoveNestedField(one.Object, "metadata", "managedFields")
		answer.Objects = append(answer.Objects, one.Object)
	}
	return answer, nil
}

// play does what a step says.
func (world *world) play(step step) error {
	switch step.Do {
	case "commit":
		world.argo.head = commit{world.argo.head.number + 1, step.Files}
		return nil
	case "apply":
		return world.apply(step.Folder)
	case "later":
		operators{world.store}.expire()
		return nil
	case "rebuild":
		world.rebuild()
		return nil
	case "upgrade":
		if step.Setting == nil {
			return errors.New("an upgrade needs a setting")
		}
		world.upgrade(*step.Setting)
		return nil
	}
	one, err := world.find(step.subject)
	if err != nil {
		return err
	}
	switch step.Do {
	case "run":
		return kueue{world.store}.admit(one)
	case "evict":
		return kueue{world.store}.evict(one)
	case "finish":
		return operators{world.store}.end(one, succeeded)
	case "fail":
		return operators{world.store}.end(one, failed)
	case "fire":
		return world.fire(one)
	case "delete":
		return world.delete(keyOf(one))
	case "edit":
		return world.edit(keyOf(one), step.Patch)
	}
	return errors.New("there is no such step")
}

func (argo *argo) apps() []appStatus {
	told := []appStatus{}
	for _, written := range argo.cluster.list(isApplication) {
		status := appStatus{
			Name: written.GetName(), Sync: textAt(written, "status", "sync", "status"),
			Health: textAt(written, "status", "health", "status"),
			Phase:  textAt(written, "status", "operationState", "phase"), Message: textAt(written, "status", "operationState", "message"),
		}
		for _, condition := range mapsIn(written.Object, "status", "conditions") {
			status.Fault = textIn(condition, "message")
		}
		if status.Sync != synced || status.Health != string(health.HealthStatusHealthy) {
			for _, one := range argo.compare(readApplication(written)).members {
				if one.status == outOfSync {
					status.Differs = append(status.Differs, keyOf(either(one.target, one.live)).String())
				}
			}
		}
		told = append(told, status)
	}
	return told
}
