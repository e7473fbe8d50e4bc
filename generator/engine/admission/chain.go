// Package admission asks everyone who judges an object in a cluster, in the API server's order: decoding, pruning and
// defaults, mutating webhooks, schema, CEL and built-in validation, validating webhooks, and then, for every object
// that its controller makes from it, the same again.
package admission

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"trainshed.dev/engine/admission/builtin"
	"trainshed.dev/engine/admission/customresource"
	"trainshed.dev/engine/admission/judge"
	"trainshed.dev/engine/admission/limits"
	"trainshed.dev/engine/admission/podsecurity"
)

// deepest bounds the generations: a TrainJob makes a JobSet, that Jobs, those Pods.
const deepest = 4

// chain is who is asked on one cluster.
type chain struct {
	schemas   *customresource.Registry
	around    *judge.Surroundings
	operators []judge.Operator
	without   []string
}

// judge asks about the object as it is to be, and, where it is there already, about the change too.
func (chain *chain) judge(object, before judge.Object) Verdict {
	verdict := Verdict{Refusals: []judge.Refusal{}, Unjudged: []Unjudged{}, Pods: []Pod{}}
	kept, made := chain.admit(&verdict, object, 0)
	for _, pod := range made {
		verdict.Pods = append(verdict.Pods, podOf(pod))
	}
	if len(made) > 0 {
		verdict.refuse(chain.askQuotas(&verdict, object, made)...)
	}
	if len(verdict.Refusals) > 0 {
		return verdict
	}
	if before != nil {
		verdict.refuse(chain.judgeChange(&verdict, object, before)...)
	}
	verdict.refuse(chain.differences(&verdict, object, kept)...)
	return verdict
}

// admit judges an object's creation and gives it as it would be kept, nil if it cannot be decoded, with the pods that
// will be made from it, at any depth.
func (chain *chain) admit(verdict *Verdict, object judge.Object, depth int) (judge.Object, []judge.Child) {
	review, admitted := chain.consider(verdict, judge.Review{Object: object, Around: chain.around})
	if !admitted || depth == deepest {
		return review.Object, nil
	}
	return review.Object, chain.follow(verdict, review, depth)
}

// consider judges an object's creation and gives it as it would be kept, nil if it cannot be decoded.
func (chain *chain) consider(verdict *Verdict, review judge.Review) (judge.Review, bool) {
	review, refusals := chain.decode(verdict, review)
	if len(refusals) > 0 {
		verdict.refuse(refusals...)
		review.Object = nil
		return review, false
	}
	asked := Verdict{}
	review, refusals = chain.mutate(&asked, review)
	if len(refusals) == 0 {
		refusals = chain.refusals(&asked, review)
	}
	if len(refusals) == 0 { // a webhook that fails on what another refuses has nothing to add
		verdict.missAll(asked)
	}
	verdict.refuse(refusals...)
	return review, len(refusals) == 0
}

// follow judges what controllers make from an admitted object.
func (chain *chain) follow(verdict *Verdict, review judge.Review, depth int) []judge.Child {
	if !chain.makes(review) {
		return nil
	}
	var pods []judge.Child
	for _, child := range chain.children(verdict, chain.running(verdict, review)) {
		inner := Verdict{}
		admitted, made := chain.admit(&inner, child.Object, depth+1)
		verdict.inherit(inner, review.Object, child)
		if judge.KindOf(child.Object).Kind == "Pod" {
			child.Admitted = admitted
			pods = append(pods, child)
		}
		for _, grandchild := range made {
			pods = append(pods, grandchild.Within(child))
		}
	}
	return pods
}

// judgeChange gives the refusals of the update that are not refusals of the object itself.
func (chain *chain) judgeChange(verdict *Verdict, object, before judge.Object) []judge.Refusal {
	old, refusals := chain.decode(verdict, judge.Review{Object: before, Around: chain.around})
	review, _ := chain.decode(verdict, judge.Review{Object: object, Around: chain.around})
	if len(refusals) > 0 {
		return nil // what was there could not have been applied, so nothing is changed
	}
	review.Before = chain.started(verdict, old).Object
	review, changes := chain.mutate(verdict, review)
	changes = append(changes, chain.refusals(verdict, review)...)
	for index := range changes {
		changes[index].Change = true
	}
	return changes
}

func (chain *chain) decode(verdict *Verdict, review judge.Review) (judge.Review, []judge.Refusal) {
	var refusals []judge.Refusal
	kind := judge.KindOf(review.Object)
	if builtin.Covers(kind) {
		verdict.guard("kubernetes", func() error {
			review.Object, refusals = builtin.Decode(review.Object)
			return nil
		})
	} else {
		verdict.guard("schema", func() error {
			custom, err := chain.schemas.Find(kind)
			if err == nil {
				review.Object, refusals = custom.Decode(review.Object)
			}
			return err
		})
	}
	return review, chain.wanted(refusals)
}

// kept is an object as the API server keeps it, with its defaults; one that it cannot decode stays as it is.
func (chain *chain) kept(object judge.Object) judge.Object {
	review, _ := chain.decode(&Verdict{}, judge.Review{Object: object, Around: chain.around})
	return review.Object
}

// running is an admitted object as it is once it runs: what waits in a queue makes nothing.
func (chain *chain) running(verdict *Verdict, review judge.Review) judge.Review {
	for _, operator := range chain.covering(review) {
		if operator.Start != nil {
			review.Object = runtime.DeepCopyJSON(review.Object)
			verdict.guard(operator.Name, func() error { return operator.Start(review) })
		}
	}
	return review
}

// started is an object that is there already: as webhooks made it, and as it is since it runs.
func (chain *chain) started(verdict *Verdict, review judge.Review) judge.Review {
	review.Before = review.Object
	review, _ = chain.mutate(verdict, review)
	review.Before = nil
	return review
}

// mutate has the webhooks change the object; the API server then fills in defaults again. A webhook that
// cannot read the object refuses it, but where its shape is wrong the schema says so better.
func (chain *chain) mutate(verdict *Verdict, review judge.Review) (judge.Review, []judge.Refusal) {
	given := review
	if isPod(review) && chain.asks("limit-range") {
		review.Object = maps.Clone(review.Object)
		verdict.guard("limit-range", func() error { return limits.Mutate(review.Object, review.Around) })
	}
	mutating := slices.DeleteFunc(chain.covering(review), func(operator judge.Operator) bool { return operator.Mutate == nil })
	if len(mutating) == 0 {
		return review, nil
	}
	unchanged := review.Object
	review.Object = runtime.DeepCopyJSON(unchanged)
	for _, operator := range mutating {
		asked := Verdict{}
		var fault error
		asked.guard(operator.Name, func() error { fault = operator.Mutate(review); return nil })
		if fault == nil && len(asked.Unjudged) == 0 {
			continue
		}
		if misshapen := chain.wanted(chain.validate(verdict, given)); len(misshapen) > 0 {
			return given, misshapen
		}
		if fault != nil {
			return given, []judge.Refusal{unreadable(operator, given, fault)}
		}
		verdict.miss(operator.Name, asked.Unjudged[0].Message)
	}
	if !judge.Same(review.Object, unchanged) {
		review = chain.refill(verdict, review)
	}
	return review, nil
}

// refill fills in defaults again, once webhooks have changed an object.
func (chain *chain) refill(verdict *Verdict, review judge.Review) judge.Review {
	custom, err := chain.schemas.Find(judge.KindOf(review.Object))
	if err != nil || builtin.Covers(judge.KindOf(review.Object)) {
		review, _ = chain.decode(verdict, review)
		return review
	}
	verdict.guard("schema", func() error { custom.Refill(review.Object); return nil })
	return review
}

func unreadable(operator judge.Operator, review judge.Review, fault error) judge.Refusal {
	pointer := judge.Culprit(review.Object, func(object judge.Object) string {
		tried := review
		tried.Object = runtime.DeepCopyJSON(object)
		asked := Verdict{} // a webhook may panic on what is left out, too
		asked.guard(operator.Name, func() error { return operator.Mutate(tried) })
		if len(asked.Unjudged) > 0 {
			return asked.Unjudged[0].Message
		}
		return ""
	})
	return judge.Refusal{Judge: operator.Name, Pointer: pointer, Message: fault.Error()}
}

func isPod(review judge.Review) bool {
	return judge.KindOf(review.Object).Kind == "Pod"
}

func (chain *chain) refusals(verdict *Verdict, review judge.Review) []judge.Refusal {
	refusals := chain.validate(verdict, review)
	first := refusals
	for _, operator := range chain.covering(review) {
		if operator.Refusals == nil || len(refusals) > 0 && isSchemas(refusals) {
			continue
		}
		verdict.guard(operator.Name, func() error {
			said, err := operator.Refusals(review)
			refusals = append(refusals, others(said, first)...)
			return err
		})
	}
	verdict.guard("pod-security", func() error {
		switch judge.KindOf(review.Object).Kind {
		case "Pod":
			refusals = append(refusals, podsecurity.Refusals(review.Object, review.Around)...)
		case "Namespace":
			refusals = append(refusals, podsecurity.NamespaceRefusals(review.Object)...)
		}
		return nil
	})
	verdict.guard("limit-range", func() error {
		refusals = append(refusals, limits.LimitRefusals(review.Object, review.Around)...)
		return nil
	})
	return chain.wanted(refusals)
}

// others are the refusals where the API server did not refuse a word first: many rules are in schemas and webhooks.
func others(said, first []judge.Refusal) []judge.Refusal {
	return slices.DeleteFunc(said, func(refusal judge.Refusal) bool {
		return slices.ContainsFunc(first, func(one judge.Refusal) bool {
			return strings.HasPrefix(one.Pointer+"/", refusal.Pointer+"/")
		})
	})
}

// isSchemas says whether an object is of the wrong shape, so that typed code must not read it.
func isSchemas(refusals []judge.Refusal) bool {
	return slices.ContainsFunc(refusals, func(refusal judge.Refusal) bool {
		return refusal.Judge == "decoding" || refusal.Judge == "schema"
	})
}

func (chain *chain) validate(verdict *Verdict, review judge.Review) (refusals []judge.Refusal) {
	kind := judge.KindOf(review.Object)
	if builtin.Covers(kind) {
		verdict.guard("kubernetes", func() error {
			refusals = builtin.Validate(review)
			return nil
		})
		return refusals
	}
	verdict.guard("schema", func() error {
		custom, err := chain.schemas.Find(kind)
		if err == nil {
			refusals = custom.Validate(review)
		}
		return err
	})
	return refusals
}

// makes says whether any controller makes something from objects of a kind.
func (chain *chain) makes(review judge.Review) bool {
	return builtin.Makes(judge.KindOf(review.Object)) ||
		slices.ContainsFunc(chain.covering(review), func(operator judge.Operator) bool { return operator.Children != nil })
}

func (chain *chain) children(verdict *Verdict, review judge.Review) (children []judge.Child) {
	for _, operator := range chain.covering(review) {
		if operator.Children != nil {
			verdict.guard(operator.Name, func() error {
				made, err := operator.Children(review)
				children = append(children, made...)
				return err
			})
		}
	}
	if builtin.Covers(judge.KindOf(review.Object)) {
		verdict.guard("kubernetes", func() error {
			made, err := builtin.Children(review)
			children = append(children, made...)
			return err
		})
	}
	return children
}

func (chain *chain) askQuotas(verdict *Verdict, object judge.Object, pods []judge.Child) (refusals []judge.Refusal) {
	if !chain.asks("resource-quota") {
		return nil
	}
	namespace, _ := judge.At(object, "/metadata/namespace")
	text, _ := namespace.(string)
	verdict.guard("resource-quota", func() error {
		refusals = limits.QuotaRefusals(pods, text, chain.around)
		return nil
	})
	return refusals
}

func (chain *chain) covering(review judge.Review) []judge.Operator {
	kind := judge.KindOf(review.Object)
	return slices.DeleteFunc(slices.Clone(chain.operators), func(operator judge.Operator) bool {
		return !operator.Covers(kind)
	})
}

func (chain *chain) asks(name string) bool {
	return !slices.Contains(chain.without, name)
}

func (chain *chain) wanted(refusals []judge.Refusal) []judge.Refusal {
	return slices.DeleteFunc(refusals, func(refusal judge.Refusal) bool { return !chain.asks(refusal.Judge) })
}
