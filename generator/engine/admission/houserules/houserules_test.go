package houserules

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// job is a subject with everything that a rule may look at.
const job = `{
	"object": {"kind": "PyTorchJob", "metadata": {"name": "demo", "labels": {"owner": "ada"}}, "spec": {"replicas": 2}},
	"oldObject": {"kind": "PyTorchJob", "metadata": {"name": "demo", "labels": {"owner": "bob"}}, "spec": {"replicas": 1}},
	"pods": [{"spec": {"containers": [{"name": "a", "image": "example.org/a:1.2.3",
		"resources": {"limits": {"memory": "16Gi", "nvidia.com/gpu": "8"}}}]}}],
	"cluster": {"name": "east", "cidr": "10.0.0.0/8"},
	"team": {"name": "vision"}
}`

func TestAFulfilledRuleSaysNothing(t *testing.T) {
	for name, expression := range map[string]string{
		"the object":        `object.metadata.labels.owner == 'ada' && object.spec.replicas == 2`,
		"what it was":       `oldObject == null || object.spec.replicas >= oldObject.spec.replicas`,
		"its pods":          `pods.all(p, p.spec.containers.all(c, c.image.startsWith('example.org/')))`,
		"its cluster":       `cluster.name in ['east', 'west']`,
		"its team":          `team.name == 'vision'`,
		"an optional field": `object.?spec.suspend.orValue(false) == false`,
		"quantities":        `quantity(pods[0].spec.containers[0].resources.limits.memory).isLessThan(quantity('20Gi'))`,
		"lists":             `[1, 2, 3].isSorted() && [1, 2].sum() == 3`,
		"regular expressions": `pods[0].spec.containers[0].image.find('[0-9.]+$') == '1.2.3' && ` +
			`object.metadata.name.matches('^[a-z]+$')`,
		"addresses":          `isURL('https://example.org') && url('https://example.org/a').getHost() == 'example.org'`,
		"networks":           `cidr(cluster.cidr).containsIP(ip('10.1.2.3'))`,
		"versions":           `semver('1.2.3').isGreaterThan(semver('1.2.0'))`,
		"formats":            `!format.dns1123Label().validate(object.metadata.name).hasValue()`,
		"sets and texts":     `sets.contains(['a', 'b'], ['a']) && 'a,b'.split(',').join('-') == 'a-b'`,
		"maps with two keys": `object.metadata.labels.all(k, v, k == 'owner' && v != '')`,
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, judged(t, []Rule{{Name: "r", Expression: expression}}, job), `{"faults":[],"verdicts":[[]]}`)
		})
	}
}

func TestABrokenRuleIsSaidInItsOwnWords(t *testing.T) {
	cases := []struct {
		name string
		rule Rule
		want string
	}{
		{"its message", Rule{Expression: "object.spec.replicas > 2", Message: "two are too few"}, `{"rule":"r","message":"two are too few"}`},
		{"its message expression", Rule{Expression: "object.spec.replicas > 2", Message: "m",
			MessageExpression: "string(object.spec.replicas) + ' are too few for ' + team.name"},
			`{"rule":"r","message":"2 are too few for vision"}`},
		{"its message where the expression for it fails", Rule{Expression: "false", Message: "m", MessageExpression: "object.none"},
			`{"rule":"r","message":"m"}`},
		{"its message where the expression for it gives two lines", Rule{Expression: "false", Message: "m", MessageExpression: `'a\nb'`},
			`{"rule":"r","message":"m"}`},
		{"its message where the expression for it gives no text", Rule{Expression: "false", Message: "m", MessageExpression: "object.spec"},
			`{"rule":"r","message":"m"}`},
		{"its expression where it has no message", Rule{Expression: "object.spec.replicas\n  == 3"},
			`{"rule":"r","message":"failed rule: object.spec.replicas == 3"}`},
	}
	for _, each := range cases {
		t.Run(each.name, func(t *testing.T) {
			each.rule.Name = "r"
			expect(t, judged(t, []Rule{each.rule}, job), `{"faults":[],"verdicts":[[`+each.want+`]]}`)
		})
	}
}

func TestARuleThatCannotBeEvaluatedIsNoPass(t *testing.T) {
	for expression, words := range map[string]string{
		"object.spec.none == 1":            "no such key: none",
		"object.spec.replicas":             "the expression gave int, not bool",
		"quantity('x') == quantity('1')":   "quantities must match",
		"oldObject.spec.replicas / 0 == 1": "division by zero",
	} {
		t.Run(expression, func(t *testing.T) {
			got := judged(t, []Rule{{Name: "r", Expression: expression, Message: "m"}}, job)
			if !strings.HasPrefix(got, `{"faults":[],"verdicts":[[{"rule":"r","message":"m","error":"`) || !strings.Contains(got, words) {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestARuleThatDoesNotCompileIsAFaultAndTheOthersAreStillAsked(t *testing.T) {
	cases := []struct {
		name, fault string
		rule        Rule
	}{
		{"an unknown variable", "1:1: undeclared reference to 'objekt' (in container '')", Rule{Expression: "objekt.spec == 1"}},
		{"no CEL", "2:3: Syntax error: mismatched input '<EOF>' expecting", Rule{Expression: "true &&\n  "}},
		{"no bool", "the expression gives string, not bool", Rule{Expression: "'a'"}},
		{"nothing", "the rule has no expression", Rule{Expression: " "}},
		{"a message that is no text", "messageExpression: the expression gives int, not string",
			Rule{Expression: "true", MessageExpression: "1 + 1"}},
		{"a pattern that is none", "invalid matches argument", Rule{Expression: "'a'.matches('(')"}},
	}
	for _, each := range cases {
		t.Run(each.name, func(t *testing.T) {
			each.rule.Name = "broken"
			got := judged(t, []Rule{each.rule, {Name: "r", Expression: "false", Message: "m"}}, job)
			var answer reply
			if err := json.Unmarshal([]byte(got), &answer); err != nil {
				t.Fatal(err)
			}
			if len(answer.Faults) != 1 || answer.Faults[0].Rule != "broken" || !strings.Contains(answer.Faults[0].Message, each.fault) {
				t.Errorf("got %v", answer.Faults)
			}
			expect(t, fmt.Sprint(answer.Verdicts), "[[{r m }]]")
		})
	}
}

func TestEachObjectHasItsOwnVerdictAndCreationHasNoOldObject(t *testing.T) {
	rules := []Rule{{Name: "new", Expression: "oldObject != null", Message: "it is new"}}
	expect(t, judged(t, rules, job, `{"object": {"kind": "Job"}, "oldObject": null}`, `{"object": {"kind": "Job"}}`),
		`{"faults":[],"verdicts":[[],[{"rule":"new","message":"it is new"}],[{"rule":"new","message":"it is new"}]]}`)
}

func TestAHostileRuleIsStopped(t *testing.T) {
	list := "[0,1,2,3,4,5,6,7,8,9]"
	nested := strings.Repeat(list+".all(x, ", 12) + "true" + strings.Repeat(")", 12)
	got := judged(t, []Rule{{Name: "r", Expression: nested, Message: "m"}}, job)
	if !strings.Contains(got, "actual cost limit exceeded") {
		t.Errorf("got %s", got)
	}
}

func TestHostileRulesTogetherAreStoppedAndWhatWasNotAskedIsNoPass(t *testing.T) {
	list := "[0,1,2,3,4,5,6,7,8,9]"
	nested := strings.Repeat(list+".all(x, ", 12) + "true" + strings.Repeat(")", 12)
	rules := make([]Rule, 100)
	for index := range rules {
		rules[index] = Rule{Name: fmt.Sprint(index), Expression: nested, Message: "m"}
	}
	rules = append(rules, Rule{Name: "last", Expression: "true", Message: "m"})
	got := judged(t, rules, job)
	if !strings.HasSuffix(got, `{"rule":"last","message":"m","error":"the rules have cost too much already, so this one was not asked"}]]}`) {
		t.Errorf("got %s", got[max(0, len(got)-300):])
	}
}

func TestARequestThatCannotBeReadIsRefused(t *testing.T) {
	for body, words := range map[string]string{
		`{"rulez": []}`: `unknown field "rulez"`,
		`{"rules": [], "objects": [{"objekt": {}}]}`: `object 0: there is no variable "objekt"`,
		`{"rules": [], "objects": [1]}`:              "object 0: ",
	} {
		if _, err := Judge(json.RawMessage(body)); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: got %v", body, err)
		}
	}
}

func judged(t *testing.T, rules []Rule, objects ...string) string {
	t.Helper()
	request := request{Rules: rules}
	for _, object := range objects {
		request.Objects = append(request.Objects, json.RawMessage(object))
	}
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := Judge(body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func expect(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
