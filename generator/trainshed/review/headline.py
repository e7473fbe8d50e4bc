"""A whole pull request in a sentence."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from trainshed.model.review import Cause, ObjectGroup, Risk, RunGroup, RunVerb, Verb

_RUNS: dict[RunVerb, tuple[str, str]] = {
    RunVerb.RESTARTS: ("restarts", "restart"),
    RunVerb.ENDS: ("ends", "end"),
    RunVerb.STARTS: ("starts", "start"),
    RunVerb.STOPS: ("stops", "stop"),
    RunVerb.RESEALED: ("is rendered anew", "are rendered anew"),
    RunVerb.ARCHIVED: ("is archived", "are archived"),
}


_LASTING = {"CronJob": "schedule", "RayCluster": "Ray cluster"}


def write_headline(
    runs: Sequence[RunGroup],
    objects: Sequence[ObjectGroup],
    risks: Sequence[Risk],
    causes: Sequence[Cause],
    untouched: int,
    errors: int,
) -> str:
    """Runs, then the platform, then risks; where no run is touched, the word that changed, and who does not take it."""
    parts = [*_of_runs(runs), *_of_lasting(runs), *_of_objects(objects), *_of_risks(risks)]
    if not parts:
        parts = ["nothing that Argo CD syncs changes"]
    if all(group.verb is RunVerb.CHANGES for group in runs):
        parts.extend(_of_default(causes))
        if untouched and (causes or objects):
            parts.insert(0, "no run is touched")
    if errors:
        parts.insert(0, f"{errors} {'error' if errors == 1 else 'errors'}: trainshed check does not pass")
    text = "; ".join(parts)
    return text[:1].upper() + text[1:]


def _of_runs(groups: Iterable[RunGroup]) -> Iterator[str]:
    counts: Counter[RunVerb] = Counter()
    for group in groups:
        if group.verb in _RUNS:
            counts[group.verb] += len(group.runs)
    words = [f"{number} {_RUNS[verb][number != 1]}" for verb, number in counts.items()]
    if words:
        first, *others = words
        number, _, verb = first.partition(" ")
        yield ", ".join([f"{number} {'run' if number == '1' else 'runs'} {verb}", *others])


def _of_lasting(groups: Iterable[RunGroup]) -> Iterator[str]:
    """Schedules and Ray clusters, which are no runs: they change in place."""
    kinds = Counter(run.kind for group in groups if group.verb is RunVerb.CHANGES for run in group.runs)
    for kind, number in kinds.items():
        noun = _LASTING.get(kind, kind)
        yield f"1 {noun} changes in place" if number == 1 else f"{number} {noun}s change in place"


def _of_objects(groups: Iterable[ObjectGroup]) -> Iterator[str]:
    """Objects of the platform; those of jobs come and go with their runs. What stays in a cluster is not deleted."""
    listed = [one for group in groups for one in group.changes if not one.app.app.startswith("job-")]
    counts = Counter(one.verb for one in listed if not one.stays)
    verbs = [(counts[verb], str(verb)) for verb in Verb if counts[verb]]
    if len(verbs) == 1:
        number, verb = verbs[0]
        yield f"{_objects(number)} {'is' if number == 1 else 'are'} {verb}"
    elif verbs:
        yield f"{_objects(counts.total())}: {', '.join(f'{number} {verb}' for number, verb in verbs)}"
    stays = sum(one.stays for one in listed)
    if stays:
        words = "leaves Git and stays" if stays == 1 else "leave Git and stay"
        yield f"{_objects(stays)} {words} in the cluster"


def _objects(number: int) -> str:
    return "1 object of the platform" if number == 1 else f"{number} objects of the platform"


def _of_risks(risks: Sequence[Risk]) -> Iterator[str]:
    number = len(risks)
    if number:
        yield f"{number} {'risk' if number == 1 else 'risks'}"


def _of_default(causes: Iterable[Cause]) -> Iterator[str]:
    """Which default changed, from where, and how many runs keep the old one."""
    cause = max(causes, key=lambda cause: cause.sealed, default=None)
    if cause is None or cause.default is None:
        return
    word = cause.default
    place = f" ({word.source.path}:{word.source.line})" if word.source else ""
    values = f" from {word.before or 'nothing'} to {word.after or 'nothing'}" if not word.lines else ""
    runs = "1 run stays" if cause.sealed == 1 else f"{cause.sealed} runs stay"
    yield f"{cause.subject}{place} changes {word.words}{values}, and {runs} sealed under the old words"
