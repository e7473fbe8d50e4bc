"""What was written: the specs and code files that changed, each with what follows from it."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from trainshed.model.review import Cause, FieldChange, ObjectChange, Proposal, RunChange, SpecPair, Verb
from trainshed.model.source import Source
from trainshed.review.effects import Effects
from trainshed.review.fields import Difference, compare
from trainshed.review.origins import place_in
from trainshed.review.texts import compare_texts, is_secret, tell_change

_NOUNS = {"TrainingJob": "job", "Team": "team", "Cluster": "cluster", "Preset": "preset", "Policy": "policy"}
_NOTHING = ("changes nothing that is rendered",)


def find_causes(
    proposal: Proposal, objects: Iterable[ObjectChange], runs: Iterable[RunChange]
) -> tuple[Cause, ...]:
    """A cause for each file, in the order of paths."""
    effects = Effects.of(proposal, objects, runs)
    return tuple(_cause(pair, effects) for pair in proposal.specs)


def _cause(pair: SpecPair, effects: Effects) -> Cause:
    verb = Verb.CREATED if pair.before is None else Verb.DELETED if pair.after is None else Verb.CHANGED
    words = tuple(_words(pair)) if verb is Verb.CHANGED else ()
    passed = [(word, effects.pass_by(pair, word)) for word in words]
    default, most = max(passed, key=lambda one: len(one[1]), default=(None, []))
    kept = {(target.cluster.name, target.app): target for _, targets in passed for target in targets}
    return Cause(
        path=pair.path,
        verb=verb,
        subject=_subject(pair),
        words=words,
        effects=tuple(effects.follow(pair, kept.values())) or _NOTHING,
        source=words[0].source if words and words[0].source else Source(pair.path),
        sealed=len(kept),
        default=default if most else None,
    )


def _subject(pair: SpecPair) -> str:
    tree = pair.tree_after or pair.tree_before
    noun = _NOUNS.get(tree.kind or "", "") if tree else ""
    if tree is None or not noun:
        return f"file {pair.path.name}"
    team = f"{tree.data.get('team')}/" if noun == "job" else ""
    return f"{noun} {team}{tree.data.get('name')}"


def _words(pair: SpecPair) -> Iterator[FieldChange]:
    """Each word of a spec; the lines of a code file."""
    before, after = pair.tree_before, pair.tree_after
    if before is None or after is None:
        lines = compare_texts(pair.before or "", pair.after or "")
        yield FieldChange(pair.path.name, None, None, (), *lines, source=Source(pair.path))
        return
    for difference in compare(before.data, after.data):
        words = ".".join(difference.path)
        change = tell_change(words, difference.before, difference.after, is_secret(difference.path))
        yield replace(change, pointer=difference.pointer, source=_place(pair, difference))


def _place(pair: SpecPair, difference: Difference) -> Source:
    tree = pair.tree_before if difference.after is None else pair.tree_after
    return place_in(tree, difference.path) if tree else Source(pair.path)
