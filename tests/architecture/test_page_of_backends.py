"""docs/backends.md: which kinds carry runs, what each can honour, and what restarts become, as the code has it."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from conftest import Golden

from trainshed.model.backend import CARRIERS, Backend
from trainshed.report.choice import ENDS, FAULTS
from trainshed.resolve.backend import PREFERRED
from trainshed.resolve.wishes import EVERY, NEEDS, WISHES, honouring, name_kinds, spell

PAGE = Path(__file__).parents[2] / "docs" / "backends.md"
PREFACE = """\
# Kinds that carry runs

`backend: auto`, which is what holds when a job says nothing, takes the first kind of its framework's row that can carry
the job's size and honour all of its wishes, on a cluster that has its operator in a release that can. Why it is that
one, and what the job's restarts come to there:

```sh
uv run trainshed show fraud-transformer --why
```

A `backend` that is written is taken as it is. What it cannot honour is an error at the wish, which names kinds that can.

This page is written from `generator/trainshed/model/backend.py` and `generator/trainshed/resolve/wishes.py` by
`pytest tests/architecture --update-golden`.

## Which kind

A `job` on a schedule becomes a CronJob. Which `mpijob` it is depends on the cluster: `kubeflow.org/v2beta1` of the
MPI Operator, or `kubeflow.org/v1` where the Training Operator is told to serve MPIJob."""
RESTARTS = """\

## Restarts

`restarts: 3` is one number for the whole job, and what it becomes differs. `faults` says what drains, evictions and
lost nodes cost: `unlimited`, they do not count; `counted`, as failures of the code do; `none`, the first one ends the
run. The first word is what holds when a job says nothing. `scope` is what starts again: all pods of the job, the pod
that failed, or, inside an elastic torchrun, its processes."""
WISHED = """\

## What each kind honours

A field that is not here is honoured by every kind."""
NEEDED = """\

## What asks for a release

Which [releases](operators.md) have what."""


def test_the_page_of_kinds_is_what_the_code_says(golden: Golden) -> None:
    golden.check(PAGE, "\n".join([*PREFACE.splitlines(), *write_sections(), ""]))


def test_every_kind_can_be_asked_for_and_every_framework_has_one() -> None:
    asked = {kind for kinds in PREFERRED.values() for kind in kinds}
    assert set(Backend) - asked == {Backend.CRONJOB, Backend.RAYCLUSTER}
    assert {framework for carrier in CARRIERS.values() for framework in carrier.frameworks} == set(PREFERRED)
    wrong = [
        (framework, kind)
        for framework, kinds in PREFERRED.items()
        for kind in kinds
        if framework not in kind.carrier.frameworks
    ]
    assert wrong == []


def test_a_wish_that_every_kind_honours_or_none_has_no_row() -> None:
    assert [wish.field for wish in WISHES if honouring(wish.field) in (EVERY, frozenset())] == []


def write_sections() -> Iterator[str]:
    frameworks = (
        (name, ", ".join(dict.fromkeys(f"`{spell(kind)}`" for kind in kinds)))
        for name, kinds in PREFERRED.items()
    )
    yield from ("", *table(("framework", "tried in this order"), frameworks))
    yield from ("", *table(("kind", "operator", "roles", "elastic", "at its deadline"), kind_rows()))
    yield from (*RESTARTS.splitlines(), "")
    yield from table(("kind", "field", "counts", "faults", "starts again"), restart_rows())
    yield from (*WISHED.splitlines(), "", *table(("field", "honoured by", "elsewhere"), wish_rows()))
    if NEEDS:
        yield from (*NEEDED.splitlines(), "")
        yield from table(("field", "on", "needs"), need_rows())


def title(kind: Backend) -> str:
    return kind.noun.partition(" ")[2]


def kind_rows() -> Iterator[tuple[str, ...]]:
    for kind, carrier in CARRIERS.items():
        roles = ", ".join(role.replace("*", "any name") for role in carrier.roles.known) or "–"
        ends = ENDS[carrier.deadline].partition(",")[0]
        yield title(kind), carrier.operator or "–", roles, "yes" if carrier.elastic else "–", ends


def restart_rows() -> Iterator[tuple[str, ...]]:
    for kind, carrier in CARRIERS.items():
        again = carrier.restarts
        faults = " or ".join(f"{word} ({FAULTS[word]})" for word in again.faults) or "–"
        field = f"`{again.field}`" if again.field else "–"
        yield title(kind), field, again.counts, faults, ", ".join(again.scopes) or "–"


def wish_rows() -> Iterator[tuple[str, ...]]:
    for wish in WISHES:
        few = len(wish.honoured_by) <= len(EVERY) / 2
        kinds = name_kinds(wish.honoured_by) if few else f"all but {name_kinds(EVERY - wish.honoured_by)}"
        yield f"`{'.'.join(wish.field)}`", kinds, wish.advice


def need_rows() -> Iterator[tuple[str, ...]]:
    for need in NEEDS:
        yield f"`{'.'.join(need.field)}`", name_kinds(need.kinds), f"`{need.feature}` of {need.operator}"


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
