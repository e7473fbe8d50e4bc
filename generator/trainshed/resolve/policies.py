"""What clusters, teams and jobs say about rules, and the rules that the repository brings along."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Severity, error
from trainshed.model.inputs import Inputs, SpecFile
from trainshed.model.policy import (
    DEFAULTS,
    HOURS,
    HouseRule,
    PolicySetting,
    Waiver,
    gpu_hours_of,
    severity_of,
)
from trainshed.model.spec import ClusterSpec, PolicySpec, TeamSpec, TrainingJobSpec
from trainshed.model.spec.policy import PolicyChoice
from trainshed.model.suggest import did_you_mean
from trainshed.model.team import TeamOnCluster
from trainshed.model.tree import Tree

HOUR_FIELDS: Mapping[str, str] = MappingProxyType(
    {"aboveGpuHours": "above_gpu_hours", "gpuHours": "gpu_hours"}
)


def resolve_settings(
    written: Mapping[str, PolicyChoice | None] | None, tree: Tree
) -> Mapping[str, PolicySetting]:
    """What a cluster or a team says, by rule."""
    settings: dict[str, PolicySetting] = {}
    for name, choice in (written or {}).items():
        if choice is not None:
            hours = choice.above_gpu_hours if choice.gpu_hours is None else choice.gpu_hours
            source = tree.key_source(("policies", name))
            settings[name] = PolicySetting(choice.severity or "", hours, source)
    return MappingProxyType(settings)


def resolve_waivers(file: SpecFile[TrainingJobSpec]) -> tuple[Waiver, ...]:
    """What a job is excused from."""
    return tuple(
        Waiver(waiver.rule, waiver.because.strip(), file.tree.value_source(("waive", index, "rule")))
        for index, waiver in enumerate(file.spec.waive or ())
    )


def resolve_rules(files: Iterable[SpecFile[PolicySpec]]) -> tuple[HouseRule, ...]:
    """The repository's own rules."""
    return tuple(
        HouseRule(
            name=file.spec.name,
            severity=Severity(file.spec.severity or "error"),
            kinds=frozenset(file.spec.kinds),
            expression=file.spec.expression,
            message=file.spec.message.strip(),
            message_expression=file.spec.message_expression or "",
            source=file.name_source,
            places=MappingProxyType(
                {field: file.tree.value_source((field,)) for field in ("expression", "messageExpression")}
            ),
        )
        for file in files
    )


def check_policies(inputs: Inputs, teams: Iterable[TeamOnCluster]) -> Iterator[Diagnostic]:
    """Findings at names of rules that are not there, and at GPU hours that are missing or mean nothing."""
    own = {file.spec.name for file in inputs.policies}
    for file in inputs.policies:
        if file.spec.name in set(Code):
            advice = "give the rule another name"
            yield error(Code.NAME_TAKEN, file.name_source, f'"{file.spec.name}" is a finding of ours', advice)
    for file in (*inputs.clusters, *inputs.teams):
        yield from _check_settings(file, own)
    for file in inputs.jobs:
        for waiver in resolve_waivers(file):
            yield from _check_waiver(waiver, own)
    for team in teams:
        yield from _check_budget(team)


def _check_settings(file: SpecFile[ClusterSpec] | SpecFile[TeamSpec], own: set[str]) -> Iterator[Diagnostic]:
    for name, choice in (file.spec.policies or {}).items():
        at = ("policies", name)
        if name not in DEFAULTS and name not in own:
            yield error(
                Code.UNKNOWN_VALUE,
                file.tree.key_source(at),
                f'there is no policy "{name}"',
                did_you_mean(name, {*DEFAULTS, *own}),
            )
            continue
        for field, attribute in HOUR_FIELDS.items():
            if getattr(choice, attribute, None) is not None and HOURS.get(name) != field:
                yield error(
                    Code.UNKNOWN_FIELD,
                    file.tree.key_source((*at, field)),
                    f'policy "{name}" takes no {field}',
                    f"write {HOURS[name]}" if name in HOURS else "it counts no GPU hours: leave it out",
                )


def _check_waiver(waiver: Waiver, own: set[str]) -> Iterator[Diagnostic]:
    if waiver.rule in DEFAULTS or waiver.rule in own:
        return
    judged = waiver.rule in set(Code)
    yield error(
        Code.UNKNOWN_VALUE,
        waiver.source,
        f'"{waiver.rule}" cannot be waived' if judged else f'there is no policy "{waiver.rule}"',
        "only policies can: this is about what works and what does not"
        if judged
        else did_you_mean(waiver.rule, {*DEFAULTS, *own}),
    )


def _check_budget(team: TeamOnCluster) -> Iterator[Diagnostic]:
    """A budget that is asked for, and says no number."""
    rule, layers = Code.OVER_BUDGET, team.policy_layers
    if severity_of(rule, None, layers) is not None and gpu_hours_of(rule, layers) is None:
        source = next(layer[rule].source for layer in layers if rule in layer)
        yield error(Code.MISSING_FIELD, source, "the budget has no size", "write {gpuHours: 500}")
