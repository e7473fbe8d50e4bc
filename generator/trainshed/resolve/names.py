"""Names that two specs, or two things they make, would share."""

from collections.abc import Iterable, Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.inputs import Inputs, SpecFile
from trainshed.model.naming import LONGEST, name_budget
from trainshed.model.plan import Target
from trainshed.model.source import Source
from trainshed.model.spec import AnySpec
from trainshed.resolve.draft import Draft

BASE_FOLDER = "base"
"""The folder beside the clusters' overlays; no cluster can have its name."""


def check_names(inputs: Inputs, targets: Iterable[Target]) -> Iterator[Diagnostic]:
    """Findings where a name is taken: the second place is wrong, the first is related."""
    yield from _twice("cluster", ((file.spec.name, file) for file in inputs.clusters))
    yield from _twice("team", ((file.spec.name, file) for file in inputs.teams))
    yield from _twice("preset", ((file.spec.name, file) for file in inputs.presets))
    yield from _twice("policy", ((file.spec.name, file) for file in inputs.policies))
    yield from _twice("job", ((f"{file.spec.team}/{file.spec.name}", file) for file in inputs.jobs))
    for file in inputs.clusters:
        if file.spec.name == BASE_FOLDER:
            yield error(
                Code.NAME_TAKEN,
                file.name_source,
                f'"{BASE_FOLDER}" is the folder of what clusters share',
                "give the cluster another name",
            )
    apps: dict[tuple[str, str], Target] = {}
    for target in targets:
        first = apps.setdefault((target.cluster.name, target.app), target)
        if (first.team.name, first.job) != (target.team.name, target.job):
            yield _taken(
                f'app "{target.app}" would belong to two jobs',
                target.sources.find("name"),
                first.sources.find("name"),
            )


def _twice(
    what: str,
    named: Iterable[tuple[str, SpecFile[AnySpec]]],
) -> Iterator[Diagnostic]:
    seen: dict[str, SpecFile[AnySpec]] = {}
    for name, file in named:
        first = seen.setdefault(name, file)
        if first is not file:
            yield _taken(f'{what} "{name}" is described twice', file.name_source, first.name_source)


def _taken(summary: str, source: Source, first: Source) -> Diagnostic:
    return error(
        Code.NAME_TAKEN,
        source,
        summary,
        "give one of them another name",
        [Related(first, "first described here")],
    )


def check_length(draft: Draft, target: Target) -> None:
    """Whether the run's name leaves room for what the kind's controller appends to it."""
    pods = {role.name: target.indexes or role.pods for role in target.roles}
    budget = name_budget(target.backend, pods)
    over = len(target.run) - budget
    if over > 0:
        several = target.indexes or target.max_pods
        of = f" of {several} pods" if several > 1 and target.backend not in LONGEST else ""
        draft.refuse(
            Code.NAME_TOO_LONG,
            ("name",),
            f'"{target.run}" has {len(target.run)} characters, {target.backend.noun}{of} takes {budget}',
            f"shorten the job's name by {over}",
        )
