"""Both sides of a change in; what a reviewer has to know out: causes, runs, objects, risks.

Compares what was merged with what is rendered, never with a cluster. Reads no file; the engine reads YAML for it.
"""

from collections import Counter
from collections.abc import Collection, Iterable

from trainshed.engine.client import Caller
from trainshed.model.naming import job_app
from trainshed.model.review import ObjectChange, Proposal, Review
from trainshed.review.causes import find_causes
from trainshed.review.effects import count_unexplained, is_older
from trainshed.review.groups import RunKey, follows_run, group_causes, group_objects, group_runs
from trainshed.review.headline import write_headline
from trainshed.review.objects import describe_objects
from trainshed.review.origins import Blame
from trainshed.review.pairs import pair_objects
from trainshed.review.risks import find_risks
from trainshed.review.runs import find_runs
from trainshed.review.sides import read_sides
from trainshed.review.workloads import is_workload

__all__ = ["review_change"]


def review_change(proposal: Proposal, engine: Caller) -> Review:
    """What the merge of `proposal` does. Costs what differs, but for one comparison of every file's bytes."""
    blame = Blame.of(proposal)
    pairs = pair_objects(read_sides(proposal, engine), proposal)
    objects = describe_objects(pairs, blame)
    runs = find_runs(pairs, objects, proposal, blame)
    touched = {(run.cluster, job_app(run.team, run.job)) for run in runs}
    told, following = _split(objects, touched)
    groups, listed = group_runs(runs), group_objects(told)
    risks = find_risks(pairs, objects, groups, blame)
    causes = find_causes(proposal, objects, runs)
    still = [
        one for one in proposal.plan.targets if not one.is_over and (one.cluster.name, one.app) not in touched
    ]
    older = sum(map(is_older, still))
    return Review(
        commit=proposal.commit,
        headline=write_headline(groups, listed, risks, causes, len(still), proposal.errors),
        causes=group_causes(causes),
        runs=groups,
        objects=listed,
        risks=risks,
        untouched=len(still),
        older=older,
        unexplained=count_unexplained(proposal, told),
        following=dict(Counter(one.identity.kind for one in following).most_common()),
    )


def _split(
    objects: Iterable[ObjectChange], touched: Collection[RunKey]
) -> tuple[list[ObjectChange], list[ObjectChange]]:
    """The objects to list, and those that only follow a run; what carries the run itself counts as neither."""
    told: list[ObjectChange] = []
    following: list[ObjectChange] = []
    for one in objects:
        if not follows_run(one, touched):
            told.append(one)
        elif not is_workload(one.identity.kind):
            following.append(one)
    return told, following
