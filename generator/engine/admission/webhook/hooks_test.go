package webhook

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"trainshed.dev/engine/admission/judge"
)

// moody is the webhook of an operator that looks at the mood of ConfigMaps.
type moody struct{}

func (moody) Default(_ context.Context, object *corev1.ConfigMap) error {
	if object.Data["mood"] == "" {
		object.Data["mood"] = "calm"
	}
	return nil
}

func (moody) ValidateCreate(_ context.Context, object *corev1.ConfigMap) (admission.Warnings, error) {
	switch object.Data["mood"] {
	case "furious":
		panic("out of patience")
	case "angry":
		return nil, errors.New("be calm")
	}
	return nil, nil
}

func (moody) ValidateUpdate(_ context.Context, before, object *corev1.ConfigMap) (admission.Warnings, error) {
	if before.Data["mood"] != object.Data["mood"] {
		return nil, field.Forbidden(field.NewPath("data", "mood"), "moods do not change")
	}
	return nil, nil
}

func (moody) ValidateDelete(context.Context, *corev1.ConfigMap) (admission.Warnings, error) {
	return nil, nil
}

func registered(t *testing.T) Hooks {
	t.Helper()
	hooks, err := Registered(clientgoscheme.Scheme, nil, func(manager ctrl.Manager) error {
		return ctrl.NewWebhookManagedBy(manager, &corev1.ConfigMap{}).
			WithDefaulter(moody{}).WithValidator(moody{}).Complete()
	})
	if err != nil {
		t.Fatal(err)
	}
	return hooks
}

func configMap(mood string) judge.Object {
	data := map[string]any{}
	if mood != "" {
		data["mood"] = mood
	}
	return judge.Object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{}, "data": data, "unknown": int64(1)}
}

func TestMutateChangesNothingButWhatTheWebhookDoes(t *testing.T) {
	for mood, want := range map[string]string{"": "calm", "happy": "happy"} {
		object := configMap(mood)
		if err := registered(t).Mutate(judge.Review{Object: object}); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(object, configMap(want)) {
			t.Errorf("%q became %v", mood, object)
		}
	}
}

func TestValidateTellsARefusalFromAFailure(t *testing.T) {
	for mood, want := range map[string]struct{ refused, failed string }{
		"happy":   {},
		"angry":   {refused: "be calm"},
		"furious": {failed: "out of patience"},
	} {
		status, err := registered(t).Validate(judge.Review{Object: configMap(mood)})
		if status != nil && status.Message != want.refused || status == nil && want.refused != "" {
			t.Errorf("%q is refused with %v", mood, status)
		}
		if (err != nil) != (want.failed != "") || err != nil && !strings.Contains(err.Error(), want.failed) {
			t.Errorf("%q fails with %v", mood, err)
		}
	}
}

func TestAnUpdateIsJudgedAsOne(t *testing.T) {
	status, err := registered(t).Validate(judge.Review{Object: configMap("angry"), Before: configMap("happy")})
	if err != nil || status == nil || status.Message != "data.mood: Forbidden: moods do not change" {
		t.Errorf("got %v, %v", status, err)
	}
}

func TestAKindWithoutAWebhookIsNotAPass(t *testing.T) {
	object := judge.Object{"apiVersion": "v1", "kind": "Secret"}
	if status, err := registered(t).Validate(judge.Review{Object: object}); status != nil || err == nil {
		t.Errorf("got %v, %v", status, err)
	}
}
