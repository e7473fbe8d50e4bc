package argocd

import (
	"encoding/json"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"trainshed.dev/engine/wire"
)

type healthRequest struct {
	// Settings are the data of argocd-cm.
	Settings map[string]string `json:"settings"`
	Objects  []map[string]any  `json:"objects"`
}

type healthReply struct {
	Health []verdict `json:"health"`
}

// verdict has no status where Argo CD has no opinion: such an object is as good as healthy.
type verdict struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

// Health answers with the health of each object: by its kind's script in argocd-cm, else by Argo CD's own rule.
func Health(body json.RawMessage) (any, error) {
	request, err := wire.Decode[healthRequest](body)
	if err != nil {
		return nil, err
	}
	settings, err := ReadSettings(request.Settings)
	if err != nil {
		return nil, wire.Refuse("%v", err)
	}
	reply := healthReply{make([]verdict, len(request.Objects))}
	for index, written := range request.Objects {
		object, err := asLive(written)
		if err != nil {
			return nil, err
		}
		found, _ := health.GetResourceHealth(&unstructured.Unstructured{Object: object}, settings.Scripts)
		if found != nil { // a script that fails makes it Unknown, and says why
			reply.Health[index] = verdict{string(found.Status), found.Message}
		}
	}
	return reply, nil
}
