package kueue

import (
	"context"
	"net/http"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	serving "sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	"trainshed.dev/engine/admission/judge"
)

// webhook is what Kueue registers for one kind.
type webhook struct {
	defaulter reflect.Value
	validator reflect.Value
	// queued says that the kind is a workload's, not one of Kueue's own.
	queued bool
}

func (webhook *webhook) mutate(ctx context.Context, object runtime.Object) error {
	if !webhook.defaulter.IsValid() {
		return nil
	}
	return call(webhook.defaulter.MethodByName("Default"), ctx, object)
}

// refusal is what the validating webhook says about a creation or an update; a workload that is there has started.
func (webhook *webhook) refusal(ctx context.Context, review judge.Review) (refusal, err error) {
	if review.Before == nil {
		object, err := read(review.Object)
		if err != nil {
			return nil, err
		}
		return call(webhook.validator.MethodByName("ValidateCreate"), ctx, object), nil
	}
	before, after, err := started(review, webhook.queued)
	if err != nil {
		return nil, err
	}
	return call(webhook.validator.MethodByName("ValidateUpdate"), ctx, before, after), nil
}

// started are both versions of an object that is there; of a workload, as it is when it runs.
func started(review judge.Review, queued bool) (before, after runtime.Object, err error) {
	objects := []judge.Object{plain(review.Before).(judge.Object), plain(review.Object).(judge.Object)}
	if queued {
		start(objects[0])
		start(objects[1])
	}
	if before, err = read(objects[0]); err != nil {
		return nil, nil, err
	}
	after, err = read(objects[1])
	return before, after, err
}

// call calls a method whose last result is an error.
func call(method reflect.Value, arguments ...any) error {
	values := make([]reflect.Value, len(arguments))
	for index, argument := range arguments {
		values[index] = reflect.ValueOf(argument)
	}
	results := method.Call(values)
	err, _ := results[len(results)-1].Interface().(error)
	return err
}

// suspensions are where workloads of all kinds say that they wait.
var suspensions = [][]string{
	{"spec", "suspend"},
	{"spec", "runPolicy", "suspend"},
	{"spec", "rayClusterConfig", "suspend"},
}

// start makes a workload look as it does once Kueue has let it run.
func start(object judge.Object) {
	for _, path := range suspensions {
		place, _ := object[path[0]].(judge.Object)
		for _, step := range path[1 : len(path)-1] {
			place, _ = place[step].(judge.Object)
		}
		delete(place, path[len(path)-1])
	}
	switch kind := judge.KindOf(object); {
	case kind.Group == "apps" || kind.Kind == "LeaderWorkerSet":
		status, _ := object["status"].(judge.Object)
		if status == nil {
			status = judge.Object{}
			object["status"] = status
		}
		status["readyReplicas"] = int64(1)
	case kind.Kind == "Pod":
		if spec, isMap := object["spec"].(judge.Object); isMap {
			delete(spec, "schedulingGates")
		}
	}
}

// registrar is the manager that Kueue's webhooks are set up with: it keeps them, and serves nothing.
type registrar struct {
	ctrl.Manager
	serving.Server
	client   client.Client
	webhooks map[schema.GroupVersionKind]*webhook
	queued   bool
}

func (registrar *registrar) GetScheme() *runtime.Scheme       { return kinds() }
func (registrar *registrar) GetClient() client.Client         { return registrar.client }
func (registrar *registrar) GetConfig() *rest.Config          { return nil }
func (registrar *registrar) GetWebhookServer() serving.Server { return registrar }
func (registrar *registrar) WebhookMux() *http.ServeMux       { return nil }
func (registrar *registrar) Start(context.Context) error      { return nil }

func (registrar *registrar) GetConverterRegistry() conversion.Registry {
	return conversion.NewRegistry()
}

// Register keeps what a webhook's handler is made with. The handler itself would turn the errors on fields into text.
func (registrar *registrar) Register(_ string, handler http.Handler) {
	served, isAdmission := handler.(*admission.Webhook)
	if !isAdmission {
		return
	}
	for _, part := range []string{"defaulter", "validator"} {
		held := reflect.ValueOf(served.Handler).Elem().FieldByName(part)
		if !held.IsValid() {
			continue
		}
		found := reflect.NewAt(held.Type(), held.Addr().UnsafePointer()).Elem().Elem()
		if part == "defaulter" {
			registrar.of(found.MethodByName("Default").Type().In(1)).defaulter = found
		} else {
			registrar.of(found.MethodByName("ValidateCreate").Type().In(1)).validator = found
		}
	}
}

func (registrar *registrar) of(object reflect.Type) *webhook {
	kind, err := apiutil.GVKForObject(reflect.New(object.Elem()).Interface().(runtime.Object), kinds())
	if err != nil {
		panic(err)
	}
	if registrar.webhooks[kind] == nil {
		registrar.webhooks[kind] = &webhook{queued: registrar.queued}
	}
	return registrar.webhooks[kind]
}
