package kueue

import (
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	"sigs.k8s.io/yaml"

	"trainshed.dev/engine/admission/judge"
)

// configurationFile is the key under which Kueue's ConfigMap holds the manager's configuration.
const configurationFile = "controller_manager_config.yaml"

var codecs = sync.OnceValue(func() serializer.CodecFactory {
	return serializer.NewCodecFactory(kinds(), serializer.EnableStrict)
})

// configurationIn is what Kueue's manager reads: from its ConfigMap, or from a Configuration by itself. Where there is
// none, Kueue's defaults hold, with every integration.
func configurationIn(around *judge.Surroundings) (*config.Configuration, error) {
	configuration := &config.Configuration{}
	text := configurationText(around)
	if text == nil {
		kinds().Default(configuration)
		configuration.Integrations.Frameworks = jobframework.GetIntegrationsList()
		return configuration, nil
	}
	if err := runtime.DecodeInto(codecs().UniversalDecoder(), text, configuration); err != nil {
		return nil, fmt.Errorf("Kueue's manager does not start with its configuration: %w", err)
	}
	return configuration, nil
}

func configurationText(around *judge.Surroundings) []byte {
	for _, configMap := range around.OfKind("ConfigMap") {
		if text, _ := judge.At(configMap, "/data/"+configurationFile); text != nil {
			return fmt.Append(nil, text)
		}
	}
	for _, configuration := range around.OfKind("Configuration") {
		if judge.KindOf(configuration).Group == config.SchemeGroupVersion.Group {
			text, _ := yaml.Marshal(configuration)
			return text
		}
	}
	return nil
}

func resourcesOf(configuration *config.Configuration) config.Resources {
	if configuration.Resources == nil {
		return config.Resources{}
	}
	return *configuration.Resources
}

// options are those that Kueue's main gives to the integrations and that their webhooks read.
func (manager *manager) options() ([]jobframework.Option, error) {
	managed, err := metav1.LabelSelectorAsSelector(manager.configuration.ManagedJobsNamespaceSelector)
	if err != nil {
		return nil, fmt.Errorf("Kueue's managedJobsNamespaceSelector: %w", err)
	}
	return []jobframework.Option{
		jobframework.WithManageJobsWithoutQueueName(manager.configuration.ManageJobsWithoutQueueName),
		jobframework.WithManagedJobsNamespaceSelector(managed),
		jobframework.WithEnabledFrameworks(manager.configuration.Integrations.Frameworks),
		jobframework.WithQueues(manager.queues),
		jobframework.WithCache(manager.cache),
	}, nil
}
