package argocd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Scripts are Lua texts that tell the health of an object, the global obj, by its kind.
type Scripts map[schema.GroupKind]string

// scriptTime is how long Argo CD lets a script run.
const scriptTime = time.Second

// GetResourceHealth makes scripts what gitops-engine asks before its own rules; nil where a kind has none.
func (scripts Scripts) GetResourceHealth(object *unstructured.Unstructured) (*health.HealthStatus, error) {
	script, exists := scripts[object.GroupVersionKind().GroupKind()]
	if !exists {
		return nil, nil
	}
	state := newState()
	defer state.Close()
	limited, cancel := context.WithTimeout(context.Background(), scriptTime)
	defer cancel()
	state.SetContext(limited)
	state.SetGlobal("obj", toLua(state, object.Object))
	if err := state.DoString(script); err != nil {
		return nil, withoutTrace(err)
	}
	return statusOf(state.Get(-1))
}

// newState is a Lua machine with as much of its library as Argo CD gives to scripts, and no way to a file.
func newState() *lua.LState {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	for name, open := range map[string]lua.LGFunction{
		lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable,
	} {
		state.Push(state.NewFunction(open))
		state.Push(lua.LString(name))
		state.Call(1, 0)
	}
	for _, reads := range []string{"dofile", "loadfile"} {
		state.SetGlobal(reads, lua.LNil)
	}
	return state
}

func withoutTrace(err error) error {
	var failure *lua.ApiError
	if errors.As(err, &failure) {
		failure.StackTrace = ""
	}
	return err
}

func statusOf(returned lua.LValue) (*health.HealthStatus, error) {
	table, isTable := returned.(*lua.LTable)
	switch {
	case returned == lua.LNil:
		return &health.HealthStatus{}, nil
	case !isTable:
		return nil, fmt.Errorf("expect table output from Lua script, not %s", returned.Type())
	}
	status, message := table.RawGetString("status"), table.RawGetString("message")
	for _, field := range []lua.LValue{status, message} {
		if field != lua.LNil && field.Type() != lua.LTString {
			return nil, fmt.Errorf("status and message are texts, not %s", field.Type())
		}
	}
	switch word := health.HealthStatusCode(lua.LVAsString(status)); word {
	case health.HealthStatusUnknown, health.HealthStatusProgressing, health.HealthStatusSuspended,
		health.HealthStatusHealthy, health.HealthStatusDegraded, health.HealthStatusMissing:
		return &health.HealthStatus{Status: word, Message: lua.LVAsString(message)}, nil
	}
	return &health.HealthStatus{
		Status: health.HealthStatusUnknown, Message: "Lua returned an invalid health status",
	}, nil
}

func toLua(state *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case bool:
		return lua.LBool(value)
	case string:
		return lua.LString(value)
	case int64:
		return lua.LNumber(value)
	case float64:
		return lua.LNumber(value)
	case json.Number:
		number, _ := value.Float64()
		return lua.LNumber(number)
	case []any:
		list := state.CreateTable(len(value), 0)
		for _, item := range value {
			list.Append(toLua(state, item))
		}
		return list
	case map[string]any:
		table := state.CreateTable(0, len(value))
		for key, field := range value {
			table.RawSetString(key, toLua(state, field))
		}
		return table
	}
	return lua.LNil
}
