package podsecurity

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
	"trainshed.dev/engine/admission/judge"
)

func read(t testing.TB, text string) judge.Object {
	t.Helper()
	var object judge.Object
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// namespace gives the surroundings of pods in a namespace with some Pod Security labels.
func namespace(t testing.TB, labels string) *judge.Surroundings {
	return judge.NewSurroundings("1.36", []judge.Object{read(t, `
apiVersion: v1
kind: Namespace
metadata: {name: vision, labels: {`+labels+`}}
`)})
}

const restricted = "pod-security.kubernetes.io/enforce: restricted"

const container = `
    securityContext:
      allowPrivilegeEscalation: false
      runAsNonRoot: true
      capabilities: {drop: [ALL]}
      seccompProfile: {type: RuntimeDefault}`

// pod has a container that meets every rule, and then what the case adds to its spec, or instead of a line.
func pod(t testing.TB, added, instead string) judge.Object {
	first := container
	if line, other, found := strings.Cut(instead, " => "); found {
		first = strings.Replace(container, line, other, 1)
		if first == container {
			t.Fatalf("%q is not in the container", line)
		}
	}
	return read(t, `
apiVersion: v1
kind: Pod
metadata: {name: resnet, namespace: vision}
spec:
  containers:
  - name: torch
    image: torch`+first+`
`+added)
}

func TestEveryRuleOfRestrictedIsSaidWhereItIsBroken(t *testing.T) {
	for name, broken := range map[string]struct {
		added, instead, pointer, words string
	}{
		"privilege escalation is not forbidden": {
			instead: "allowPrivilegeEscalation: false => allowPrivilegeEscalation: true",
			pointer: "/spec/containers/0/securityContext/allowPrivilegeEscalation",
			words:   `allowPrivilegeEscalation != false (container "torch" must set securityContext.allowPrivilegeEscalation=false)`,
		},
		"capabilities are kept": {
			instead: "      capabilities: {drop: [ALL]} => ",
			pointer: "/spec/containers/0/securityContext",
			words:   `unrestricted capabilities (container "torch" must set securityContext.capabilities.drop=["ALL"])`,
		},
		"some capabilities are dropped, not all": {
			instead: "drop: [ALL] => drop: [KILL], add: [NET_BIND_SERVICE]",
			pointer: "/spec/containers/0/securityContext/capabilities/drop",
			words:   `must set securityContext.capabilities.drop=["ALL"]`,
		},
		"a capability is added": {
			instead: "drop: [ALL] => drop: [ALL], add: [SYS_PTRACE]",
			pointer: "/spec/containers/0/securityContext/capabilities/add",
			words:   `must not include "SYS_PTRACE" in securityContext.capabilities.add`,
		},
		"root is not forbidden": {
			instead: "      runAsNonRoot: true => ",
			pointer: "/spec/containers/0/securityContext/runAsNonRoot",
			words:   `pod or container "torch" must set securityContext.runAsNonRoot=true`,
		},
		"root is wanted": {
			instead: "runAsNonRoot: true => runAsUser: 0",
			added:   "  securityContext: {runAsNonRoot: true}",
			pointer: "/spec/containers/0/securityContext/runAsUser",
			words:   `runAsUser=0 (container "torch" must not set runAsUser=0)`,
		},
		"the whole pod runs as root": {
			added:   "  securityContext: {runAsUser: 0}",
			pointer: "/spec/securityContext/runAsUser",
			words:   "runAsUser=0 (pod must not set runAsUser=0)",
		},
		"system calls are not filtered": {
			instead: "      seccompProfile: {type: RuntimeDefault} => ",
			pointer: "/spec/containers/0/securityContext",
			words:   `must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
		},
		"filtering is switched off": {
			instead: "RuntimeDefault => Unconfined",
			pointer: "/spec/containers/0/securityContext/seccompProfile/type",
			words:   `must not set securityContext.seccompProfile.type to "Unconfined"`,
		},
		"an init container says nothing": {
			added:   "  initContainers: [{name: fetch, image: fetch, securityContext: {capabilities: {drop: [ALL]}, runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}}]",
			pointer: "/spec/initContainers/0/securityContext/allowPrivilegeEscalation",
			words:   `container "fetch" must set`,
		},
		"a volume is a path of the node": {
			added:   "  volumes: [{name: scratch, emptyDir: {}}, {name: disk, hostPath: {path: /mnt}}]",
			pointer: "/spec/volumes/1/hostPath",
			words:   `restricted volume types (volume "disk" uses restricted volume type "hostPath")`,
		},
		"a volume is of a type that is left out": {
			added:   "  volumes: [{name: disk, nfs: {server: nas, path: /data}}]",
			pointer: "/spec/volumes/0/nfs",
			words:   `restricted volume types (volume "disk" uses restricted volume type "nfs")`,
		},
		"the node's network is used": {
			added:   "  hostNetwork: true",
			pointer: "/spec/hostNetwork",
			words:   "host namespaces (hostNetwork=true)",
		},
		"the node's shared memory is used": {
			added:   "  hostIPC: true",
			pointer: "/spec/hostIPC",
			words:   "host namespaces (hostIPC=true)",
		},
		"a port of the node is taken": {
			instead: "    securityContext => \n    ports: [{containerPort: 80}, {containerPort: 8080, hostPort: 8080}]\n    securityContext",
			pointer: "/spec/containers/0/ports/1/hostPort",
			words:   `hostPort (container "torch" uses hostPort 8080)`,
		},
		"a sysctl of the node is set": {
			added:   "  securityContext: {sysctls: [{name: kernel.shm_rmid_forced, value: '1'}, {name: kernel.msgmax, value: '1'}]}",
			pointer: "/spec/securityContext/sysctls/1/name",
			words:   "forbidden sysctls (kernel.msgmax)",
		},
		"the second container is privileged": {
			added:   "  - {name: debug, image: debug, securityContext: {privileged: true}}",
			pointer: "/spec/containers/1/securityContext/privileged",
			words:   `privileged (container "debug" must not set securityContext.privileged=true)`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			refusals := Refusals(pod(t, broken.added, broken.instead), namespace(t, restricted))
			for _, refusal := range refusals {
				if refusal.Judge != "pod-security" || !strings.HasPrefix(refusal.Message, `violates PodSecurity "restricted:latest": `) {
					t.Errorf("the words are not the plugin's: %+v", refusal)
				}
				if strings.Contains(refusal.Message, broken.words) && refusal.Pointer == broken.pointer {
					return
				}
			}
			t.Errorf("nobody says %q at %s, but:\n%+v", broken.words, broken.pointer, refusals)
		})
	}
}

func TestAPodThatMeetsEveryRuleIsAccepted(t *testing.T) {
	for name, added := range map[string]string{
		"as it is":                        "",
		"with a claim and memory":         "  volumes: [{name: a, persistentVolumeClaim: {claimName: a}}, {name: shm, emptyDir: {medium: Memory}}]",
		"with settings for the whole pod": "  securityContext: {runAsUser: 1000, fsGroup: 1000}",
		"with a sysctl that is safe":      "  securityContext: {sysctls: [{name: net.ipv4.ip_unprivileged_port_start, value: '0'}]}",
	} {
		t.Run(name, func(t *testing.T) {
			if refusals := Refusals(pod(t, added, ""), namespace(t, restricted)); len(refusals) > 0 {
				t.Errorf("%+v", refusals)
			}
		})
	}
}

func TestSettingsOfThePodServeContainersThatHaveNone(t *testing.T) {
	object := pod(t, "  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}",
		"      runAsNonRoot: true => ")
	if refusals := Refusals(object, namespace(t, restricted)); len(refusals) > 0 {
		t.Errorf("%+v", refusals)
	}
}

func TestWithoutASecurityContextTheContainerIsNamed(t *testing.T) {
	refusals := Refusals(pod(t, "", container+" => "), namespace(t, restricted))
	if len(refusals) != 4 {
		t.Fatalf("four rules want something written: %+v", refusals)
	}
	for _, refusal := range refusals {
		if refusal.Pointer != "/spec/containers/0" {
			t.Errorf("%+v", refusal)
		}
	}
}

func TestTheNamespaceDecidesTheLevel(t *testing.T) {
	root := pod(t, "  hostNetwork: true", "runAsNonRoot: true => runAsUser: 0")
	for labels, count := range map[string]int{
		"": 0,
		"pod-security.kubernetes.io/enforce: privileged": 0,
		"pod-security.kubernetes.io/warn: restricted":    0,
		"pod-security.kubernetes.io/audit: restricted":   0,
		"pod-security.kubernetes.io/enforce: baseline":   1,
		restricted: 3,
		restricted + ", pod-security.kubernetes.io/enforce-version: v1.22": 2,
		"pod-security.kubernetes.io/enforce: strict":                       3,
	} {
		t.Run(labels, func(t *testing.T) {
			if refusals := Refusals(root, namespace(t, labels)); len(refusals) != count {
				t.Errorf("%d, not %d: %+v", len(refusals), count, refusals)
			}
		})
	}
}

func TestBaselineForbidsPathsOfTheNode(t *testing.T) {
	object := pod(t, "  volumes: [{name: scratch, emptyDir: {}}, {name: disk, hostPath: {path: /mnt}}]", "")
	refusals := Refusals(object, namespace(t, "pod-security.kubernetes.io/enforce: baseline"))
	if len(refusals) != 1 || refusals[0].Pointer != "/spec/volumes/1/hostPath" ||
		refusals[0].Message != `violates PodSecurity "baseline:latest": hostPath volumes (volume "disk")` {
		t.Errorf("%+v", refusals)
	}
}

func TestAnUnknownNamespaceEnforcesNothing(t *testing.T) {
	if refusals := Refusals(pod(t, "  hostNetwork: true", ""), judge.NewSurroundings("1.36", nil)); refusals != nil {
		t.Errorf("%+v", refusals)
	}
}

func TestLatestIsTheReleaseOfTheCluster(t *testing.T) {
	probe := pod(t, "", "    securityContext => \n    livenessProbe: {httpGet: {host: 10.0.0.1, port: 80}}\n    securityContext")
	objects := []judge.Object{namespace(t, restricted).Find("Namespace", "", "vision")}
	refusals := Refusals(probe, judge.NewSurroundings("1.36", objects))
	if len(refusals) != 1 || refusals[0].Pointer != "/spec/containers/0/livenessProbe/httpGet/host" {
		t.Errorf("1.36 has a rule on hosts of probes: %+v", refusals)
	}
	if refusals := Refusals(probe, judge.NewSurroundings("1.33", objects)); len(refusals) > 0 {
		t.Errorf("1.33 has no rule on hosts of probes: %+v", refusals)
	}
}

func TestALabelThatCannotBeReadIsRefused(t *testing.T) {
	object := namespace(t, "pod-security.kubernetes.io/enforce: strict").Find("Namespace", "", "vision")
	refusals := NamespaceRefusals(object)
	if len(refusals) != 1 || refusals[0].Pointer != "/metadata/labels/pod-security.kubernetes.io~1enforce" ||
		!strings.Contains(refusals[0].Message, "must be one of privileged, baseline, restricted") {
		t.Errorf("%+v", refusals)
	}
}

func BenchmarkAPod(b *testing.B) {
	object, around := pod(b, "", ""), namespace(b, restricted)
	for b.Loop() {
		Refusals(object, around)
	}
}
