package emptycluster

import (
	"context"

	"github.com/go-logr/logr"
	"github.com/sirupsen/logrus"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Controllers tell their story to the log of the process, which is not ours to fill.
func init() {
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	logrus.SetLevel(logrus.PanicLevel)
}

// Manager is as much of a controller manager as a reconciler asks for when it is made. Anything else panics.
func (cluster *Cluster) Manager() ctrl.Manager { return manager{cluster: cluster} }

// Deaf hears no events.
var Deaf record.EventRecorder = &record.FakeRecorder{}

type manager struct {
	ctrl.Manager
	cluster *Cluster
}

func (manager manager) GetClient() client.Client                        { return manager.cluster }
func (manager manager) GetScheme() *runtime.Scheme                      { return manager.cluster.scheme }
func (manager manager) GetEventRecorderFor(string) record.EventRecorder { return Deaf }
func (manager manager) GetFieldIndexer() client.FieldIndexer            { return noIndex{} }

type noIndex struct{}

func (noIndex) IndexField(context.Context, client.Object, string, client.IndexerFunc) error {
	return nil
}
