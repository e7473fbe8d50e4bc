package houserules

import celconfig "k8s.io/apiserver/pkg/apis/cel"

// What rules may cost, in CEL's own units, of which a core does some million a second: one evaluation; and a request,
// which has a floor and an allowance for each evaluation that is asked for, several times what an honest rule takes.
const (
	costOfCall = celconfig.PerCallLimit / 10
	floor      = celconfig.RuntimeCELCostBudget / 40
	allowance  = 1_000
)

// purse holds what a request may still spend.
type purse struct{ left uint64 }

func newPurse(evaluations int) *purse {
	return &purse{floor + allowance*uint64(evaluations)}
}

func (purse *purse) isEmpty() bool { return purse.left == 0 }

func (purse *purse) pay(cost *uint64) {
	if cost == nil || *cost >= purse.left {
		purse.left = 0
		return
	}
	purse.left -= *cost
}
