"""A kubelet: a pod goes in, its containers run as processes in a room, and how it ended comes out.

It keeps to what the kubelet of a cluster does (https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/), and
tells what it does not. `kubelet.py` is its face, `pod.py` the life of a pod, `container.py` that of a container.
"""

from trainshed.rehearse.kubelet.kubelet import Kubelet as Kubelet
