package life

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// api answers the requests of Argo CD's clients out of the store: discovery of the kinds that were asked for, and get,
// update and delete of one object. No request leaves the process.
type api struct {
	store *store
	kinds *kinds
	app   string
}

// config is what a client needs to reach it.
func (api *api) config() *rest.Config {
	return &rest.Config{Host: "https://kubernetes.default.svc", Transport: api, QPS: -1}
}

// RoundTrip answers one request.
func (api *api) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := api.answer(request)
	code := http.StatusOK
	if err != nil {
		var status apierrors.APIStatus
		if !errors.As(err, &status) {
			status = apierrors.NewInternalError(err)
		}
		words := status.Status()
		words.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		answer, code = words, int(words.Code)
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Request: request,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text)),
	}, nil
}

func (api *api) answer(request *http.Request) (any, error) {
	version, rest := splitPath(request.URL.Path)
	if len(rest) == 0 {
		return api.discover(version)
	}
	place, err := api.place(version, rest)
	if err != nil {
		return nil, err
	}
	switch request.Method {
	case http.MethodGet:
		if found := api.store.get(place); found != nil {
			return found.Object, nil
		}
		return nil, apierrors.NewNotFound(schema.GroupResource{Group: place.group, Resource: place.kind}, place.name)
	case http.MethodPut:
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		changed, err := read(body)
		if err != nil {
			return nil, err
		}
		kept, err := api.store.update(changed, "sync "+api.app)
		if err != nil {
			return nil, err
		}
		return kept.Object, nil
	case http.MethodDelete:
		var options metav1.DeleteOptions
		if err := json.NewDecoder(request.Body).Decode(&options); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		how := metav1.DeletePropagationBackground
		if options.PropagationPolicy != nil {
			how = *options.PropagationPolicy
		}
		return metav1.Status{Status: metav1.StatusSuccess}, api.store.remove(place, how, "prune "+api.app)
	}
	return nil, apierrors.NewMethodNotSupported(schema.GroupResource{Resource: place.kind}, request.Method)
}

// splitPath parts /api/v1/… and /apis/<group>/<version>/… into the version and what follows it.
func splitPath(path string) (schema.GroupVersion, []string) {
	steps := strings.Split(strings.Trim(path, "/"), "/")
	if steps[0] == "api" && len(steps) > 1 {
		return schema.GroupVersion{Version: steps[1]}, steps[2:]
	}
	if len(steps) < 3 {
		return schema.GroupVersion{}, nil
	}
	return schema.GroupVersion{Group: steps[1], Version: steps[2]}, steps[3:]
}

func (api *api) discover(version schema.GroupVersion) (*metav1.APIResourceList, error) {
	found := &metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: version.String(),
	}
	for _, kind := range api.kinds.of(version) {
		found.APIResources = append(found.APIResources, metav1.APIResource{
			Name: kind.plural, Kind: kind.kind.Kind, Namespaced: kind.namespaced,
			Verbs: metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"},
		})
	}
	if len(found.APIResources) == 0 {
		return nil, apierrors.NewNotFound(schema.GroupResource{Group: version.Group}, version.String())
	}
	return found, nil
}

// place is the object that a path names: [namespaces/<namespace>/]<plural>/<name>.
func (api *api) place(version schema.GroupVersion, steps []string) (key, error) {
	place := key{group: version.Group}
	if len(steps) >= 4 && steps[0] == "namespaces" {
		place.namespace, steps = steps[1], steps[2:]
	}
	for _, kind := range api.kinds.of(version) {
		if len(steps) == 2 && kind.plural == steps[0] {
			place.kind, place.name = kind.kind.Kind, steps[1]
			return place, nil
		}
	}
	return place, apierrors.NewNotFound(schema.GroupResource{Group: version.Group, Resource: steps[0]}, steps[len(steps)-1])
}
