// Package houserules judges objects by the rules that users write themselves: CEL expressions, with the libraries that
// Kubernetes gives to admission policies, and with a bound on what they may cost.
package houserules

import (
	"encoding/json"
	"fmt"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"trainshed.dev/engine/wire"
)

type request struct {
	Rules   []Rule            `json:"rules"`
	Objects []json.RawMessage `json:"objects"`
}

// Rule is one expression that every object has to fulfil. MessageExpression, where there is one that works, says why
// an object does not; otherwise Message does.
type Rule struct {
	Name              string `json:"name"`
	Expression        string `json:"expression"`
	Message           string `json:"message"`
	MessageExpression string `json:"messageExpression"`
}

type reply struct {
	Faults   []Fault     `json:"faults"`
	Verdicts [][]Refusal `json:"verdicts"`
}

// Fault says why a rule cannot be used at all.
type Fault struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// Refusal is a rule that an object does not fulfil or, with Error, one that could not be evaluated: never a pass.
type Refusal struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Error   string `json:"error,omitempty"`
}

// Judge answers with the rules that each object breaks. An object is what the variables of the rules are called:
// object, oldObject (null on creation), pods, cluster, team.
func Judge(body json.RawMessage) (any, error) {
	request, err := wire.Decode[request](body)
	if err != nil {
		return nil, err
	}
	answer := reply{Faults: []Fault{}, Verdicts: make([][]Refusal, len(request.Objects))}
	programs := []program{}
	for _, rule := range request.Rules {
		program, err := compileOnce(rule)
		if err != nil {
			answer.Faults = append(answer.Faults, Fault{rule.Name, err.Error()})
			continue
		}
		programs = append(programs, program)
	}
	purse := newPurse(len(request.Rules) * len(request.Objects))
	for index, text := range request.Objects {
		variables, err := read(text)
		if err != nil {
			return nil, wire.Refuse("object %d: %v", index, err)
		}
		answer.Verdicts[index] = []Refusal{}
		for _, program := range programs {
			if refusal := program.judge(variables, purse); refusal != nil {
				answer.Verdicts[index] = append(answer.Verdicts[index], *refusal)
			}
		}
	}
	return answer, nil
}

// read gives every variable a value, with the types of number that the API server's decoder gives.
func read(text json.RawMessage) (map[string]any, error) {
	variables := map[string]any{}
	if err := utiljson.Unmarshal(text, &variables); err != nil {
		return nil, err
	}
	for name := range variables {
		if _, known := empty[name]; !known {
			return nil, fmt.Errorf("there is no variable %q", name)
		}
	}
	for name, value := range empty {
		if variables[name] == nil {
			variables[name] = value
		}
	}
	return variables, nil
}
