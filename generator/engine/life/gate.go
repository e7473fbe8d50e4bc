package life

import (
	"trainshed.dev/engine/admission"
	"trainshed.dev/engine/admission/judge"
)

// gate is admission: the chain of judges beside what the cluster holds at that moment.
type gate struct {
	setting admission.Setting
	door    *admission.Door
}

// lookedAt are the kinds that judges look at beside the object that they judge.
var lookedAt = map[string]bool{
	"Namespace": true, "LimitRange": true, "ResourceQuota": true, "PriorityClass": true, "RuntimeClass": true,
	"TrainingRuntime": true, "ClusterTrainingRuntime": true, "LocalQueue": true, "ClusterQueue": true,
	"AdmissionCheck": true, "RayCluster": true, "ResourceFlavor": true, "Cohort": true, "Topology": true,
	"WorkloadPriorityClass": true,
}

// note has the judges look around anew where they would see a change.
func (gate *gate) note(written *object) {
	if looksAt(written) {
		gate.door = nil
	}
}

func looksAt(one *object) bool {
	return lookedAt[one.GetKind()] || settingsOf(one) != nil
}

// ask gives the judges, who know what is around.
func (gate *gate) ask(objects map[key]*object) *admission.Door {
	if gate.door == nil {
		var around []judge.Object
		for _, one := range objects {
			if settings := settingsOf(one); settings != nil {
				around = append(around, settings)
			} else if looksAt(one) {
				around = append(around, one.DeepCopy().Object)
			}
		}
		gate.door = admission.NewDoor(gate.setting, around)
	}
	return gate.door
}

func (gate *gate) create(objects map[key]*object, made *object) (*object, error) {
	kept, err := gate.ask(objects).Create(made.Object)
	return &object{Object: kept}, err
}

func (gate *gate) update(objects map[key]*object, changed, before *object) (*object, error) {
	kept, err := gate.ask(objects).Update(changed.Object, before.DeepCopy().Object)
	return &object{Object: kept}, err
}

// settingKeys are those of ConfigMaps by which operators are configured.
var settingKeys = []string{"initContainer.yaml", "controller_manager_config.yaml"}

// settingsOf is the ConfigMap by which an operator is configured, also the one that Kueue's chart makes of the values in
// an Application; nil if the object is neither.
func settingsOf(one *object) map[string]any {
	switch one.GetKind() {
	case "ConfigMap":
		for _, name := range settingKeys {
			if textAt(one, "data", name) != "" {
				return one.DeepCopy().Object
			}
		}
	case "Application":
		for _, source := range sourcesOf(one) {
			text := textIn(source, "helm", "valuesObject", "managerConfig", "controllerManagerConfigYaml")
			if text != "" {
				return map[string]any{
					"apiVersion": "v1", "kind": "ConfigMap",
					"metadata": map[string]any{
						"name": "kueue-manager-config", "namespace": textAt(one, "spec", "destination", "namespace"),
					},
					"data": map[string]any{"controller_manager_config.yaml": text},
				}
			}
		}
	}
	return nil
}

// around is what judges look at, and children are what controllers make of an object that may run.
func (store *store) around() *judge.Surroundings {
	store.lock.Lock()
	defer store.lock.Unlock()
	return store.gate.ask(store.objects).Around()
}

func (store *store) children(one *object) ([]judge.Child, error) {
	store.lock.Lock()
	defer store.lock.Unlock()
	return store.gate.ask(store.objects).Children(one.DeepCopy().Object)
}
