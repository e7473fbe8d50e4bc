package kueue

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"trainshed.dev/engine/admission/judge"
)

// placed are refusals at the fields that the errors are about, also where Kueue names none of the object's own.
func placed(object judge.Object, causes field.ErrorList) []judge.Refusal {
	refusals := judge.FieldRefusals(name, object, causes)
	for index, cause := range causes {
		switch judge.KindOf(object).Kind {
		case "RayService":
			written := strings.Replace(cause.Field, "spec.rayClusterSpec", "spec.rayClusterConfig", 1)
			refusals[index].Pointer = judge.PointerTo(object, written)
		case "TrainJob":
			if annotation, isMade := strings.CutPrefix(cause.Field, "job["); isMade {
				refusals[index].Pointer = patchOf(object, annotation)
			}
		}
	}
	return refusals
}

// patchOf is where a TrainJob patches an annotation of a job's pods, such as "node].annotations[key]". What it does not
// patch is its runtime's.
func patchOf(object judge.Object, annotation string) string {
	job, key, _ := strings.Cut(strings.TrimSuffix(annotation, "]"), "].annotations[")
	for patch := 0; ; patch++ {
		place := fmt.Sprintf("/spec/runtimePatches/%d", patch)
		if _, written := judge.At(object, place); !written {
			return "/spec/runtimeRef/name"
		}
		found, _ := judge.At(object, place+"/trainingRuntimeSpec/template/spec/replicatedJobs")
		jobs, _ := found.([]any)
		for index := range jobs {
			one := fmt.Sprintf("%s/trainingRuntimeSpec/template/spec/replicatedJobs/%d", place, index)
			named, _ := judge.At(object, one+"/name")
			pointer := one + "/template/spec/template/metadata/annotations/" + judge.Escape(key)
			if _, patched := judge.At(object, pointer); patched && named == job {
				return pointer
			}
		}
	}
}
