"""What a pull request changes, as a reviewer reads it: causes in specs, runs, objects, risks."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import PurePosixPath

from msgspec import Struct

from trainshed.model.files import RenderedObject
from trainshed.model.manifest import AppId, ObjectId
from trainshed.model.plan import Plan
from trainshed.model.seal import Seal
from trainshed.model.source import Source
from trainshed.model.tree import Tree


class SpecPair(Struct, frozen=True):
    """A file below `specs/` that differs: its text on both sides, None where there is none; trees where it is YAML."""

    path: PurePosixPath
    before: str | None
    after: str | None
    tree_before: Tree | None = None
    tree_after: Tree | None = None


class Proposal(Struct, frozen=True):
    """Both sides of a change: the commit that it is made upon, and what the working tree's specs render to.

    `before` and `after` map paths below `rendered/` to contents, seals are by path; `specs` holds files that differ.
    `errors` counts what is wrong.
    """

    commit: str
    before: Mapping[PurePosixPath, bytes]
    after: Mapping[PurePosixPath, bytes]
    seals_before: Mapping[PurePosixPath, Seal]
    seals_after: Mapping[PurePosixPath, Seal]
    specs: tuple[SpecPair, ...]
    objects: tuple[RenderedObject, ...]
    plan: Plan
    errors: int


class Verb(StrEnum):
    """What happens to an object. A replaced one has a new name, and the old one goes."""

    CREATED = "created"
    CHANGED = "changed"
    REPLACED = "replaced"
    DELETED = "deleted"


class RunVerb(StrEnum):
    """What a merge does to a job on a cluster, the gravest first."""

    RESTARTS = "restarts"
    ENDS = "ends"
    STARTS = "starts"
    RESEALED = "resealed"
    STOPS = "stops"
    CHANGES = "changes"
    ARCHIVED = "archived"


class RiskKind(StrEnum):
    """Classes of what a reviewer must not miss, the gravest first."""

    DATA = "data at risk"
    NAMESPACE = "namespace goes"
    RIGHTS = "widens rights"
    PRIVILEGED = "privileged"
    ENDS_RUN = "ends a run"
    IMAGE = "image moves"
    QUOTA = "raises quota"
    OPERATOR = "operator changes"


class FieldChange(Struct, frozen=True):
    """One field in a reviewer's words: its value before and after, None where it was not written.

    `roles` are the parts of the kind that it is changed in. `lines` is the difference of a long text, each line with
    its sign, as far as it is shown; `added` and `removed` count all of them. `source` is the line that caused it.
    """

    words: str
    before: str | None
    after: str | None
    roles: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    added: int = 0
    removed: int = 0
    pointer: str = ""
    source: Source | None = None


class ObjectChange(Struct, frozen=True):
    """One object. `stays` says that it leaves Git, and that Argo CD leaves it in the cluster."""

    verb: Verb
    app: AppId
    identity: ObjectId
    previous: ObjectId | None
    fields: tuple[FieldChange, ...]
    source: Source
    stays: bool = False


class ObjectGroup(Struct, frozen=True):
    """The same change of several objects, shown once: the fields are those of the first."""

    verb: Verb
    changes: tuple[ObjectChange, ...]

    @property
    def first(self) -> ObjectChange:
        """The one that is shown."""
        return self.changes[0]


class RunChange(Struct, frozen=True):
    """What happens to a job on a cluster: the runs that start, end and go on, and what that means, a sentence each.

    `resumes` is the run whose last checkpoint the new one starts from. `quote` is what a person wrote about it.
    """

    verb: RunVerb
    team: str
    job: str
    cluster: str
    kind: str
    starts: str
    ends: str
    keeps: tuple[str, ...]
    resumes: str
    attempt: int
    sentences: tuple[str, ...]
    fields: tuple[FieldChange, ...]
    source: Source
    quote: str = ""


class Apart(Struct, frozen=True):
    """Fields of a group of runs that are others on some clusters."""

    clusters: tuple[str, ...]
    fields: tuple[FieldChange, ...]


class RunGroup(Struct, frozen=True):
    """The same happening to several runs, shown once: the fields that all share, and those that differ by cluster."""

    verb: RunVerb
    runs: tuple[RunChange, ...]
    fields: tuple[FieldChange, ...]
    apart: tuple[Apart, ...] = ()

    @property
    def first(self) -> RunChange:
        """The one that is shown."""
        return self.runs[0]


class Cause(Struct, frozen=True):
    """A file below `specs/` that changed: what it is about, its words that changed, and what follows, a sentence each.

    `verb` is CREATED, CHANGED or DELETED; only of a changed one are the words listed. `sealed` counts the runs that
    would take its words were they not sealed, and `default` is the word that most of them would take.
    """

    path: PurePosixPath
    verb: Verb
    subject: str
    words: tuple[FieldChange, ...]
    effects: tuple[str, ...]
    source: Source
    sealed: int = 0
    default: FieldChange | None = None


class CauseGroup(Struct, frozen=True):
    """The same edit of several files, with the same effects, shown once."""

    causes: tuple[Cause, ...]

    @property
    def first(self) -> Cause:
        """The one that is shown."""
        return self.causes[0]


class Risk(Struct, frozen=True):
    """Something that a reviewer must not miss, at the lines that caused it, and the apps it happens in."""

    kind: RiskKind
    sentence: str
    sources: tuple[Source, ...]
    places: tuple[AppId, ...]

    @property
    def source(self) -> Source:
        """The first line."""
        return self.sources[0]


class Review(Struct, frozen=True):
    """A whole pull request, the most important first in each part.

    `untouched` counts the runs that stand before and after; `older` those that are sealed under older defaults;
    `unexplained` the objects that differ though no word of a spec behind them does. `following` counts, by kind, the
    objects that come and go with their runs and are not listed.
    """

    commit: str
    headline: str
    causes: tuple[CauseGroup, ...]
    runs: tuple[RunGroup, ...]
    objects: tuple[ObjectGroup, ...]
    risks: tuple[Risk, ...]
    untouched: int
    older: int
    unexplained: int
    following: Mapping[str, int]

    @property
    def is_empty(self) -> bool:
        """Whether nothing that Argo CD syncs, and no record of a run, changes."""
        return not (self.runs or self.objects)
