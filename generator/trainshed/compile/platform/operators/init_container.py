"""The init container in which the workers of a PyTorchJob wait for their master."""

from dataclasses import dataclass

from trainshed.catalog.installed import release_of
from trainshed.model.cluster import Cluster
from trainshed.model.naming import content_name

INIT_CONTAINER_KEY = "initContainer.yaml"
OPERATORS_CHOICE = "{{.InitContainerImage}}"
"""What the operator replaces by the image of its flag."""

TEMPLATE = """\
- name: init-pytorch
  image: %s
  imagePullPolicy: IfNotPresent
  resources:
    requests: {cpu: 50m, memory: 16Mi}
    limits: {memory: 32Mi}
  securityContext:
    allowPrivilegeEscalation: false
    capabilities: {drop: [ALL]}
    seccompProfile: {type: RuntimeDefault}
  command: [sh, -c, "trap 'exit 1' TERM; until nslookup {{.MasterAddr}}; do sleep 2; done"]
"""
"""The operator's own has no security context: Pod Security restricted would refuse every worker beside a master.

Who it runs as is the pod's to say: a kubelet never starts a container that must not be root in a pod that is.
(`verifyRunAsNonRoot`, kubernetes/kubernetes `pkg/kubelet/kuberuntime/security_context_others.go`)
"""


@dataclass(frozen=True, slots=True)
class InitContainer:
    """The template, and the ConfigMap that holds it.

    It is named by its content: the operator reads the file once, and a new name starts it anew.
    """

    text: str

    @property
    def name(self) -> str:
        """The ConfigMap's name."""
        return content_name("training-operator", "init-container", self.text.encode())


def init_container(cluster: Cluster) -> InitContainer:
    """The template for a cluster. Its image is the operator's own, unless the cluster names or mirrors it."""
    default = release_of(cluster.operators["training-operator"]).settings["init-container-image"]
    image = cluster.mirror.image(cluster.init_image or default)
    return InitContainer(TEMPLATE % (OPERATORS_CHOICE if image == default else image))
