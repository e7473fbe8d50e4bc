package admission

import (
	"cmp"
	"encoding/base64"
	"encoding/json"

	"trainshed.dev/engine/admission/builtin"
	"trainshed.dev/engine/admission/judge"
)

type podsRequest struct {
	setting
	Object judge.Object `json:"object"`
}

type podsReply struct {
	// Kept is the object as the API server would keep it, once it runs; null where it cannot be decoded.
	Kept     judge.Object    `json:"kept"`
	Made     []Made          `json:"made"`
	Refusals []judge.Refusal `json:"refusals"`
	Unjudged []Unjudged      `json:"unjudged"`
}

// Made is something that a controller makes, as the API server would keep it.
type Made struct {
	// Role is the part of the workload that it is of, as its pods are, and Index its number there as its owner counts.
	Role  string `json:"role"`
	Index int    `json:"index"`
	// Owner is the index of the one that it is made from, -1 for the object itself.
	Owner  int          `json:"owner"`
	Object judge.Object `json:"object"`
}

// Pods answers with every pod that comes of an object, each by itself, and with all that is made on the way there.
func Pods(body json.RawMessage) (any, error) {
	request, err := decode[podsRequest](body)
	if err != nil {
		return nil, err
	}
	making := making{chain: request.chain(), reply: podsReply{Made: []Made{}}}
	verdict := Verdict{Refusals: []judge.Refusal{}, Unjudged: []Unjudged{}}
	review, admitted := making.chain.consider(&verdict, judge.Review{
		Object: builtin.Name(request.Object), Around: making.chain.around, Every: true,
	})
	if admitted {
		review = making.chain.running(&verdict, review)
		making.follow(&verdict, review, "", 0)
	}
	making.reply.Kept, making.reply.Refusals, making.reply.Unjudged = review.Object, verdict.Refusals, verdict.Unjudged
	return making.reply, nil
}

// making is what has come of an object so far.
type making struct {
	chain *chain
	reply podsReply
	pods  int
}

// follow makes all that comes of an admitted object that runs, which is of a role and was made last, if it was made.
func (making *making) follow(verdict *Verdict, review judge.Review, role string, depth int) {
	if depth == deepest || !making.chain.makes(review) {
		return
	}
	owner := len(making.reply.Made) - 1
	for _, child := range making.chain.children(verdict, review) {
		inner := Verdict{}
		hold(child.Object)
		kept, admitted := making.chain.consider(&inner, judge.Review{
			Object: child.Object, Around: review.Around, Every: true,
		})
		if isPod(kept) {
			making.pods++
		}
		if err := judge.FewEnough(making.pods); err != nil {
			verdict.miss("kubernetes", err.Error())
			return
		}
		if admitted {
			kept = making.chain.running(&inner, kept)
		} else if kept.Object == nil {
			kept.Object = child.Object
		}
		made := Made{cmp.Or(role, child.Role), child.Index, owner, kept.Object}
		making.reply.Made = append(making.reply.Made, made)
		if admitted {
			making.follow(&inner, kept, made.Role, depth+1)
		}
		verdict.inherit(inner, review.Object, child)
	}
}

// placeholder stands for what controllers roll dice for, and keep from everybody.
var placeholder = base64.StdEncoding.EncodeToString([]byte("placeholder"))

// hold puts placeholders into a Secret: the same question is to have the same answer.
func hold(object judge.Object) {
	if judge.KindOf(object).Kind != "Secret" {
		return
	}
	for field, value := range map[string]any{"data": placeholder, "stringData": "placeholder"} {
		held, _ := object[field].(map[string]any)
		for key := range held {
			held[key] = value
		}
	}
}
