// Package webhook asks an operator's admission webhooks in this process, as an API server would over the network.
package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"trainshed.dev/engine/admission/judge"
)

// Hooks are the webhooks of one operator, by the paths at which it serves them.
type Hooks map[string]*admission.Webhook

// Registered are the webhooks that an operator's own setup gives to its manager.
func Registered(scheme *runtime.Scheme, reads client.Client, setup func(ctrl.Manager) error) (Hooks, error) {
	ctrl.SetLogger(logr.Discard())
	hooks := Hooks{}
	return hooks, setup(manager{scheme: scheme, client: reads, server: server{kept: hooks}})
}

// Mutate changes review.Object as the mutating webhook of its kind does.
func (hooks Hooks) Mutate(review judge.Review) error {
	text, response, err := hooks.ask("/mutate-", review)
	switch {
	case err != nil:
		return err
	case !response.Allowed:
		return errors.New(response.Result.Message)
	case len(response.Patch) == 0:
		return nil
	}
	patch, err := jsonpatch.DecodePatch(response.Patch)
	if err != nil {
		return err
	}
	mutated, err := patch.Apply(text)
	if err != nil {
		return err
	}
	var object judge.Object
	if err := utiljson.Unmarshal(mutated, &object); err != nil {
		return err
	}
	clear(review.Object)
	maps.Copy(review.Object, object)
	return nil
}

// Validate gives the status with which the validating webhook of the object's kind refuses it; nil if it does not.
func (hooks Hooks) Validate(review judge.Review) (*metav1.Status, error) {
	_, response, err := hooks.ask("/validate-", review)
	if err != nil || response.Allowed {
		return nil, err
	}
	return response.Result, nil
}

func (hooks Hooks) ask(verb string, review judge.Review) ([]byte, admission.Response, error) {
	kind := judge.KindOf(review.Object)
	path := verb + strings.ReplaceAll(kind.Group, ".", "-") + "-" + kind.Version + "-" + strings.ToLower(kind.Kind)
	hook, kept := hooks[path]
	if !kept {
		return nil, admission.Response{}, errors.New("the operator has no webhook at " + path)
	}
	request := admission.Request{}
	request.Operation = admissionv1.Create
	text, err := json.Marshal(review.Object)
	if err != nil {
		return nil, admission.Response{}, err
	}
	request.Object.Raw = text
	if review.Before != nil {
		request.Operation = admissionv1.Update
		if request.OldObject.Raw, err = json.Marshal(review.Before); err != nil {
			return nil, admission.Response{}, err
		}
	}
	response := hook.Handle(context.Background(), request)
	if !response.Allowed && response.Result.Code == http.StatusInternalServerError {
		return nil, response, errors.New(response.Result.Message)
	}
	return text, response, nil
}
