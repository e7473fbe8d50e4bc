"""Which line of a spec is to blame for something, also where the object, or the line, is gone."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeAlias

from trainshed.model.manifest import AppId, ObjectId, Origins
from trainshed.model.naming import CLUSTER_APPS, job_app, team_app
from trainshed.model.review import Proposal, SpecPair
from trainshed.model.source import Source
from trainshed.model.tree import Tree
from trainshed.review.fields import Path, compare

Place: TypeAlias = tuple[PurePosixPath, int, int]
Edit: TypeAlias = tuple[Path, Source]

_NOBODY = Source(PurePosixPath("specs"))


@dataclass(frozen=True, slots=True)
class Blame:
    """What leads from an object to a line.

    `origins` are those of what is rendered; `apps` the specs of apps, on either side. `removed` has lines that are
    gone, by each word in their path; `edits` the words that were edited, by each place that encloses them, and
    `edited` those words themselves.
    """

    origins: Mapping[tuple[AppId, ObjectId], Origins]
    apps: Mapping[str, Source]
    removed: Mapping[tuple[PurePosixPath, str], Source]
    edits: Mapping[Place, tuple[Edit, ...]]
    edited: frozenset[Source]

    @classmethod
    def of(cls, proposal: Proposal) -> "Blame":
        """Everything that is known of where things come from."""
        origins = {(one.app, one.manifest.identity): one.manifest.origins for one in proposal.objects}
        apps = dict(_apps_of_specs(proposal.specs))
        for cluster in proposal.plan.clusters.values():
            apps |= {f"{cluster.name}/{app}": cluster.source for app in ("", *CLUSTER_APPS)}
        apps |= {team_app(team.name): team.source for team in proposal.plan.teams}
        apps |= {target.app: target.sources.whole for target in proposal.plan.targets}
        edits = _edited_words(proposal.specs)
        edited = frozenset(source for found in edits.values() for _, source in found)
        return cls(origins, apps, dict(_removed_words(proposal.specs)), edits, edited)

    def find(self, app: AppId, identity: ObjectId, pointer: str = "", words: Iterable[str] = ()) -> Source:
        """The line that caused what stands at `pointer`; of an object that is gone, the line that was taken away.

        `words` are names on the way there, by which one of several edited lines is chosen.
        """
        known = self.origins.get((app, identity))
        if known is not None:
            return self.narrow(known.find(pointer), (identity.name, *pointer.split("/"), *words))
        spec = self.spec_of(app)
        names = [identity.name, *reversed(identity.name.split("-"))]
        return next(
            (self.removed[spec.path, name] for name in names if (spec.path, name) in self.removed), spec
        )

    def narrow(self, source: Source, words: Iterable[str]) -> Source:
        """The edited word at or below a place, if there is one; of several, the one that most of the words lead to."""
        edits = self.edits.get((source.path, source.line, source.column), ())
        known = set(words)
        return max(edits, key=lambda edit: len(known.intersection(edit[0])), default=((), source))[1]

    def spec_of(self, app: AppId) -> Source:
        """The spec that an app is made from."""
        names = (app.app, f"{app.cluster}/{app.app}", f"{app.cluster}/")
        return next((self.apps[name] for name in names if name in self.apps), _NOBODY)


def _apps_of_specs(specs: tuple[SpecPair, ...]) -> Iterator[tuple[str, Source]]:
    """The apps of specs that changed: those that are gone stand in no plan."""
    for pair in specs:
        tree = pair.tree_after or pair.tree_before
        if tree is not None:
            app = _app_of(tree)
            if app:
                yield app, tree.value_source(("name",))


def _app_of(tree: Tree) -> str:
    kind, name, team = tree.kind, tree.data.get("name"), tree.data.get("team")
    if kind == "TrainingJob":
        return job_app(str(team), str(name))
    return {"Team": team_app(str(name)), "Cluster": f"{name}/"}.get(kind or "", "")


def _removed_words(specs: tuple[SpecPair, ...]) -> Iterator[tuple[tuple[PurePosixPath, str], Source]]:
    for pair in specs:
        if pair.tree_before is None:
            continue
        after = pair.tree_after.data if pair.tree_after else {}
        for difference in compare(pair.tree_before.data, after):
            if difference.after is None:
                place = place_in(pair.tree_before, difference.path)
                yield from (((pair.path, word), place) for word in difference.path)


def place_in(tree: Tree, path: Path) -> Source:
    """Where a value stands in a tree, by a path of `compare`; of what is in a list, the list."""
    steps: list[str | int] = []
    value: object = tree.data
    for step in path:
        if isinstance(value, dict) and step in value:
            steps.append(step)
            value = value[step]
        else:
            break
    return (
        tree.key_source(tuple(steps))
        if not isinstance(value, str | int | float)
        else tree.value_source(tuple(steps))
    )


def _edited_words(specs: tuple[SpecPair, ...]) -> dict[Place, tuple[Edit, ...]]:
    """Each word that was edited, at every place above it; the spec's name stands for the whole."""
    edits: defaultdict[Place, dict[Source, Path]] = defaultdict(dict)
    for pair in specs:
        before, after = pair.tree_before, pair.tree_after
        if before is None or after is None:
            continue
        for difference in compare(before.data, after.data):
            tree = before if difference.after is None else after
            edited = place_in(tree, difference.path)
            for length in range(len(difference.path) + 1):
                above = difference.path[:length] or ("name",)
                for place in (after.key_source(above), after.value_source(above)):
                    edits[place.path, place.line, place.column].setdefault(edited, difference.path)
    return {place: tuple((path, source) for source, path in found.items()) for place, found in edits.items()}
