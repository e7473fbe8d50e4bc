package podsecurity

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"trainshed.dev/engine/admission/judge"
)

// exam is one pod before all the checks of a level.
type exam struct {
	object    judge.Object
	pod       *corev1.Pod
	level     api.LevelVersion
	evaluator policy.Evaluator
}

func (exam exam) results(spec *corev1.PodSpec) []policy.CheckResult {
	return exam.evaluator.EvaluatePod(exam.level, &exam.pod.ObjectMeta, spec)
}

func (exam exam) refusal(number int, result policy.CheckResult) judge.Refusal {
	words := policy.AggregateCheckResults([]policy.CheckResult{result})
	return judge.Refusal{
		Judge:   "pod-security",
		Pointer: exam.pointer(number, result),
		Message: fmt.Sprintf("violates PodSecurity %q: %s", exam.level, words.ForbiddenDetail()),
	}
}

// part is something of a pod that can be guilty by itself: the path to it, and the pod that has nothing else.
type part struct {
	path  string
	alone corev1.PodSpec
}

// parts are the pod's bare spec and then each of its volumes and containers with it.
func (exam exam) parts() []part {
	spec := exam.pod.Spec
	bare := spec
	bare.Volumes, bare.Containers, bare.InitContainers, bare.EphemeralContainers = nil, nil, nil, nil
	parts := []part{{"spec", bare}}
	for index := range spec.Volumes {
		alone := bare
		alone.Volumes = spec.Volumes[index : index+1]
		parts = append(parts, part{fmt.Sprintf("spec.volumes[%d]", index), alone})
	}
	for index := range spec.Containers {
		alone := bare
		alone.Containers = spec.Containers[index : index+1]
		parts = append(parts, part{fmt.Sprintf("spec.containers[%d]", index), alone})
	}
	for index := range spec.InitContainers {
		alone := bare
		alone.InitContainers = spec.InitContainers[index : index+1]
		parts = append(parts, part{fmt.Sprintf("spec.initContainers[%d]", index), alone})
	}
	for index := range spec.EphemeralContainers {
		alone := bare
		alone.EphemeralContainers = spec.EphemeralContainers[index : index+1]
		parts = append(parts, part{fmt.Sprintf("spec.ephemeralContainers[%d]", index), alone})
	}
	return parts
}

// pointer names the field of the first part that fails the check by itself. A check gives text, not a field.
func (exam exam) pointer(number int, result policy.CheckResult) string {
	for _, part := range exam.parts() {
		if alone := exam.results(&part.alone)[number]; !alone.Allowed {
			return judge.PointerTo(exam.object, exam.field(part.path, alone))
		}
	}
	return "/spec"
}

// field is the path that the check's words are about: of those that it looks at, the one that it names and that is
// written, or else the first, which is the one to write.
func (exam exam) field(part string, result policy.CheckResult) string {
	paths := slices.Clone(fields[result.ForbiddenReason])
	slices.SortStableFunc(paths, func(one, other string) int {
		return mention(result.ForbiddenDetail, one) - mention(result.ForbiddenDetail, other)
	})
	for _, path := range paths {
		written := exam.written(part, strings.Split(path, "."))
		if len(written) == 0 {
			if strings.Contains(result.ForbiddenDetail, path) {
				return part + "." + path
			}
			continue
		}
		named := slices.IndexFunc(written, func(field field) bool {
			return strings.Contains(result.ForbiddenDetail, fmt.Sprint(field.value))
		})
		return written[max(named, 0)].path
	}
	if len(paths) == 0 || strings.Contains(paths[0], "*") {
		return part
	}
	return part + "." + paths[0]
}

func mention(words, path string) int {
	if at := strings.Index(words, path); at >= 0 {
		return at
	}
	return len(words)
}

// field is one that stands in the pod.
type field struct {
	path  string
	value any
}

// written are the fields that a path leads to; a star stands for every item of a list, or every key but the name.
func (exam exam) written(path string, steps []string) []field {
	value, exists := judge.At(exam.object, judge.PointerTo(exam.object, path))
	if !exists {
		return nil
	}
	if len(steps) == 0 {
		return []field{{path, value}}
	}
	var found []field
	switch value := value.(type) {
	case []any:
		for index := range value {
			found = append(found, exam.written(fmt.Sprintf("%s[%d]", path, index), steps[1:])...)
		}
	case map[string]any:
		for key := range value {
			if key == steps[0] || steps[0] == "*" && key != "name" {
				found = append(found, exam.written(path+"."+key, steps[1:])...)
			}
		}
	}
	return found
}

// fields are what the checks look at, below a container, a volume or the pod's spec, by the reason that they give.
var fields = map[string][]string{
	"allowPrivilegeEscalation != false": {"securityContext.allowPrivilegeEscalation"},
	"forbidden AppArmor profile":        {"securityContext.appArmorProfile.type"},
	"forbidden AppArmor profiles":       {"securityContext.appArmorProfile.type"},
	"forbidden sysctls":                 {"securityContext.sysctls.*.name"},
	"host namespaces":                   {"hostNetwork", "hostPID", "hostIPC"},
	"hostPath volumes":                  {"hostPath"},
	"hostPort":                          {"ports.*.hostPort"},
	"hostProcess":                       {"securityContext.windowsOptions.hostProcess"},
	"non-default capabilities":          {"securityContext.capabilities.add"},
	"privileged":                        {"securityContext.privileged"},
	"probe or lifecycle host": {
		"livenessProbe.*.host", "readinessProbe.*.host", "startupProbe.*.host",
		"lifecycle.postStart.*.host", "lifecycle.preStop.*.host",
	},
	"procMount":                 {"securityContext.procMount"},
	"restricted volume types":   {"*"},
	"runAsNonRoot != true":      {"securityContext.runAsNonRoot"},
	"runAsUser=0":               {"securityContext.runAsUser"},
	"seLinuxOptions":            {"securityContext.seLinuxOptions"},
	"seccompProfile":            {"securityContext.seccompProfile.type"},
	"unrestricted capabilities": {"securityContext.capabilities.drop", "securityContext.capabilities.add"},
}
