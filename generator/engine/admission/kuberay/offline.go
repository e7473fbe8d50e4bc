package kuberay

import (
	"context"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils/dashboardclient"
	ctrl "sigs.k8s.io/controller-runtime"
)

// offline has no clients for clusters that run: none does.
type offline struct{}

type (
	dashboardOf = func(*rayv1.RayCluster, string) (dashboardclient.RayDashboardClientInterface, error)
	proxyOf     = func(hostIP, namespace, pod string, port int) utils.RayHttpProxyClientInterface
)

func (offline) GetDashboardClient(context.Context, ctrl.Manager) dashboardOf { return nil }
func (offline) GetHttpProxyClient(ctrl.Manager) proxyOf                      { return nil }
