package houserules

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// empty are the variables of a rule, and what they are where nobody gives them a value.
var empty = map[string]any{
	"object":    nil,
	"oldObject": nil,
	"pods":      []any{},
	"cluster":   map[string]any{},
	"team":      map[string]any{},
}

// language is CEL as the linked Kubernetes speaks it, with the variables of a rule.
var language = sync.OnceValues(func() (*cel.Env, error) {
	oldest := version.MajorMinor(1, 0)
	extended, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(
		environment.VersionedOptions{IntroducedVersion: oldest, EnvOptions: []cel.EnvOption{
			cel.Variable("object", cel.DynType),
			cel.Variable("oldObject", cel.DynType),
			cel.Variable("pods", cel.ListType(cel.DynType)),
			cel.Variable("cluster", cel.MapType(cel.StringType, cel.DynType)),
			cel.Variable("team", cel.MapType(cel.StringType, cel.DynType)),
		}})
	if err != nil {
		return nil, err
	}
	return extended.Env(environment.StoredExpressions)
})

// program is a rule that compiled; message is nil where the rule has no expression for it.
type program struct {
	rule       Rule
	expression cel.Program
	message    cel.Program
}

// compiled keeps what became of each rule, for requests come in rounds with the same ones.
var compiled sync.Map

type compilation struct {
	program program
	err     error
}

func compileOnce(rule Rule) (program, error) {
	kept, known := compiled.Load(rule)
	if !known {
		made, err := compile(rule)
		kept, _ = compiled.LoadOrStore(rule, compilation{made, err})
	}
	return kept.(compilation).program, kept.(compilation).err
}

func compile(rule Rule) (compiled program, err error) {
	compiled.rule = rule
	if strings.TrimSpace(rule.Expression) == "" {
		return compiled, errors.New("the rule has no expression")
	}
	if compiled.expression, err = compileText(rule.Expression, cel.BoolType); err != nil {
		return compiled, err
	}
	if rule.MessageExpression != "" {
		if compiled.message, err = compileText(rule.MessageExpression, cel.StringType); err != nil {
			return compiled, fmt.Errorf("messageExpression: %w", err)
		}
	}
	return compiled, nil
}

// compileText takes an expression whose type is known once it is evaluated, too.
func compileText(text string, wanted *cel.Type) (cel.Program, error) {
	env, err := language()
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, explain(issues)
	}
	if kind := ast.OutputType(); !kind.IsExactType(wanted) && !kind.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("the expression gives %s, not %s", kind, wanted)
	}
	return env.Program(ast, cel.CostLimit(costOfCall), cel.InterruptCheckFrequency(celconfig.CheckFrequency))
}

// explain says in one line what is wrong and where in the expression.
func explain(issues *cel.Issues) error {
	var said []string
	for _, issue := range issues.Errors() {
		place := issue.Location
		said = append(said, fmt.Sprintf("%d:%d: %s", place.Line(), place.Column()+1, strings.Join(strings.Fields(issue.Message), " ")))
	}
	return errors.New(strings.Join(said, "; "))
}

// judge is nil for an object that fulfils the rule.
func (program program) judge(variables map[string]any, purse *purse) *Refusal {
	refusal := &Refusal{Rule: program.rule.Name, Message: program.rule.Message}
	if refusal.Message == "" {
		refusal.Message = "failed rule: " + strings.Join(strings.Fields(program.rule.Expression), " ")
	}
	result, err := evaluate(program.expression, variables, purse)
	if err != nil {
		refusal.Error = err.Error()
		return refusal
	}
	fulfilled, isBool := result.Value().(bool)
	switch {
	case fulfilled:
		return nil
	case !isBool:
		refusal.Error = fmt.Sprintf("the expression gave %s, not bool", result.Type().TypeName())
	case program.message != nil:
		if words := wordsOf(program.message, variables, purse); words != "" {
			refusal.Message = words
		}
	}
	return refusal
}

// wordsOf is what a message expression gives, if it is one line of reasonable length.
func wordsOf(message cel.Program, variables map[string]any, purse *purse) string {
	result, err := evaluate(message, variables, purse)
	if err != nil {
		return ""
	}
	text, _ := result.Value().(string)
	text = strings.TrimSpace(text)
	if len(text) > celconfig.MaxEvaluatedMessageExpressionSizeBytes || strings.Contains(text, "\n") {
		return ""
	}
	return text
}

func evaluate(program cel.Program, variables map[string]any, purse *purse) (ref.Val, error) {
	if purse.isEmpty() {
		return nil, errors.New("the rules have cost too much already, so this one was not asked")
	}
	result, details, err := program.ContextEval(context.Background(), variables)
	if details != nil {
		purse.pay(details.ActualCost())
	}
	return result, err
}
