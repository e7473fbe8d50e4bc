package builtin

import (
	"strings"

	apiextensionsinstall "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/certificates/certificates"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/endpoint"
	"k8s.io/kubernetes/pkg/registry/core/event"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/discovery/endpointslice"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/flowschema"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/prioritylevelconfiguration"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/ipaddress"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/networking/servicecidr"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattributesclass"
)

func init() {
	apiextensionsinstall.Install(scheme)
}

// scheme knows every type of the API server; most are put there by the imports of imports.go.
var scheme = legacyscheme.Scheme

// strategy is what the API server asks about a kind: on creation, and on update.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// strategies are those of every kind that can be created in an API server without asking for alpha or beta APIs.
// Those of the policies and claims are given no authorizer: whoever applies a manifest is taken to be allowed to.
var strategies = map[schema.GroupKind]strategy{
	{Kind: "ConfigMap"}:             configmap.Strategy,
	{Kind: "Endpoints"}:             endpoint.Strategy,
	{Kind: "Event"}:                 event.Strategy,
	{Kind: "LimitRange"}:            limitrange.Strategy,
	{Kind: "Namespace"}:             namespace.Strategy,
	{Kind: "Node"}:                  node.Strategy,
	{Kind: "PersistentVolume"}:      persistentvolume.Strategy,
	{Kind: "PersistentVolumeClaim"}: persistentvolumeclaim.Strategy,
	{Kind: "Pod"}:                   pod.Strategy,
	{Kind: "PodTemplate"}:           podtemplate.Strategy,
	{Kind: "ReplicationController"}: replicationcontroller.Strategy,
	{Kind: "ResourceQuota"}:         resourcequota.Strategy,
	{Kind: "Secret"}:                secret.Strategy,
	{Kind: "Service"}:               service.Strategy,
	{Kind: "ServiceAccount"}:        serviceaccount.Strategy,

	{Group: "admissionregistration.k8s.io", Kind: "MutatingAdmissionPolicy"}:          mutatingadmissionpolicy.NewStrategy(nil, nil),
	{Group: "admissionregistration.k8s.io", Kind: "MutatingAdmissionPolicyBinding"}:   mutatingadmissionpolicybinding.NewStrategy(nil, nil, nil),
	{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"}:     mutatingwebhookconfiguration.Strategy,
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicy"}:        validatingadmissionpolicy.NewStrategy(nil, nil),
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicyBinding"}: validatingadmissionpolicybinding.NewStrategy(nil, nil, nil),
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"}:   validatingwebhookconfiguration.Strategy,
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}:                 customresourcedefinition.NewStrategy(scheme),
	{Group: "apps", Kind: "ControllerRevision"}:                                       controllerrevision.Strategy,
	{Group: "apps", Kind: "DaemonSet"}:                                                daemonset.Strategy,
	{Group: "apps", Kind: "Deployment"}:                                               deployment.Strategy,
	{Group: "apps", Kind: "ReplicaSet"}:                                               replicaset.Strategy,
	{Group: "apps", Kind: "StatefulSet"}:                                              statefulset.Strategy,
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}:                           horizontalpodautoscaler.Strategy,
	{Group: "batch", Kind: "CronJob"}:                                                 cronjob.Strategy,
	{Group: "batch", Kind: "Job"}:                                                     job.Strategy,
	{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}:                 certificates.Strategy,
	{Group: "coordination.k8s.io", Kind: "Lease"}:                                     lease.Strategy,
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"}:                                endpointslice.Strategy,
	{Group: "events.k8s.io", Kind: "Event"}:                                           event.Strategy,
	{Group: "flowcontrol.apiserver.k8s.io", Kind: "FlowSchema"}:                       flowschema.Strategy,
	{Group: "flowcontrol.apiserver.k8s.io", Kind: "PriorityLevelConfiguration"}:       prioritylevelconfiguration.Strategy,
	{Group: "networking.k8s.io", Kind: "Ingress"}:                                     ingress.Strategy,
	{Group: "networking.k8s.io", Kind: "IngressClass"}:                                ingressclass.Strategy,
	{Group: "networking.k8s.io", Kind: "IPAddress"}:                                   ipaddress.Strategy,
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}:                               networkpolicy.Strategy,
	{Group: "networking.k8s.io", Kind: "ServiceCIDR"}:                                 servicecidr.Strategy,
	{Group: "node.k8s.io", Kind: "RuntimeClass"}:                                      runtimeclass.Strategy,
	{Group: "policy", Kind: "PodDisruptionBudget"}:                                    poddisruptionbudget.Strategy,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}:                         clusterrole.Strategy,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}:                  clusterrolebinding.Strategy,
	{Group: "rbac.authorization.k8s.io", Kind: "Role"}:                                role.Strategy,
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}:                         rolebinding.Strategy,
	{Group: "resource.k8s.io", Kind: "DeviceClass"}:                                   deviceclass.Strategy,
	{Group: "resource.k8s.io", Kind: "ResourceClaim"}:                                 resourceclaim.NewStrategy(nil, nil),
	{Group: "resource.k8s.io", Kind: "ResourceClaimTemplate"}:                         resourceclaimtemplate.NewStrategy(nil),
	{Group: "resource.k8s.io", Kind: "ResourceSlice"}:                                 resourceslice.Strategy,
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}:                               priorityclass.Strategy,
	{Group: "storage.k8s.io", Kind: "CSIDriver"}:                                      csidriver.Strategy,
	{Group: "storage.k8s.io", Kind: "CSINode"}:                                        csinode.Strategy,
	{Group: "storage.k8s.io", Kind: "CSIStorageCapacity"}:                             csistoragecapacity.Strategy,
	{Group: "storage.k8s.io", Kind: "StorageClass"}:                                   storageclass.Strategy,
	{Group: "storage.k8s.io", Kind: "VolumeAttachment"}:                               volumeattachment.Strategy,
	{Group: "storage.k8s.io", Kind: "VolumeAttributesClass"}:                          volumeattributesclass.Strategy,
}

// Covers says whether a kind belongs to the API server itself, even one that it no longer serves.
func Covers(kind schema.GroupVersionKind) bool {
	return scheme.IsGroupRegistered(kind.Group)
}

// served says whether the API server has a kind without being asked to: of its own versions, the stable ones.
func served(kind schema.GroupVersionKind) bool {
	_, known := strategies[kind.GroupKind()]
	return known && scheme.Recognizes(kind) && isStable(kind.Version)
}

func isStable(version string) bool {
	return !strings.Contains(version, "alpha") && !strings.Contains(version, "beta")
}
