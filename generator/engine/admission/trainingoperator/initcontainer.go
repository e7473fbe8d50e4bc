package trainingoperator

import (
	"os"
	"sync"
	_ "unsafe" // for go:linkname

	"github.com/kubeflow/training-operator/pkg/config"

	"trainshed.dev/engine/admission/judge"
)

// templateKey is the file of the operator's ConfigMap in which the init container of workers is described.
const templateKey = "initContainer.yaml"

// The operator reads its template once a process. We judge jobs of many clusters, so we let it read again.
//
//go:linkname onceInitContainer github.com/kubeflow/training-operator/pkg/controller.v1/pytorch.onceInitContainer
var onceInitContainer sync.Once

// mounting guards the operator's global configuration.
var mounting sync.Mutex

// withConfig does work under the operator's default flags, with its ConfigMap mounted if the cluster has one.
func withConfig(around *judge.Surroundings, work func() error) error {
	mounting.Lock()
	defer mounting.Unlock()
	config.Config.PyTorchInitContainerImage = config.PyTorchInitContainerImageDefault
	config.Config.PyTorchInitContainerMaxTries = config.PyTorchInitContainerMaxTriesDefault
	config.Config.MPIKubectlDeliveryImage = config.MPIKubectlDeliveryImageDefault
	config.Config.PyTorchInitContainerTemplateFile = ""
	onceInitContainer = sync.Once{}
	if template := initContainerTemplate(around); template != "" {
		path, err := mount(template)
		if err != nil {
			return err
		}
		defer os.Remove(path)
		config.Config.PyTorchInitContainerTemplateFile = path
	}
	return work()
}

func initContainerTemplate(around *judge.Surroundings) string {
	if around == nil {
		return ""
	}
	for _, configMap := range around.OfKind("ConfigMap") {
		data, _ := judge.At(configMap, "/data/"+templateKey)
		if template, isText := data.(string); isText {
			return template
		}
	}
	return ""
}

func mount(template string) (path string, err error) {
	file, err := os.CreateTemp("", templateKey)
	if err != nil {
		return "", err
	}
	defer file.Close()
	_, err = file.WriteString(template)
	return file.Name(), err
}
