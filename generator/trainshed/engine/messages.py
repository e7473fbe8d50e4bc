"""The bodies of requests and replies, as `tests/protocol` pins them for both sides."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeAlias

from msgspec import Struct

JsonObject: TypeAlias = dict[str, Any]

PROTOCOL = 1
LINE_LIMIT = 256 * 1024 * 1024


class Greeting(Struct, frozen=True):
    """Who answers: the protocol's number, the engine's release and those of the libraries in it.

    `judges` are the releases of those whose own code judges, by the names that refusals give them.
    """

    protocol: int
    engine: str
    kustomize: str
    kubeconform: str
    judges: Mapping[str, str]

    @classmethod
    def from_json(cls, body: JsonObject) -> "Greeting":
        """Read the reply to `hello`."""
        return cls(
            body["protocol"], body["engine"], body["kustomize"], body["kubeconform"], body.get("judges", {})
        )


class Build(Struct, frozen=True):
    """Files by relative POSIX path, and the folders among them to run `kustomize build` on."""

    files: Mapping[str, str]
    roots: tuple[str, ...] = (".",)

    def to_json(self) -> JsonObject:
        """One entry of the request to `build`."""
        return {"files": dict(self.files), "roots": list(self.roots)}


class Problem(Struct, frozen=True):
    """Why a root cannot be built. Path is empty and line is 0 where Kustomize's words do not lead to them."""

    message: str
    path: str = ""
    line: int = 0

    @classmethod
    def from_json(cls, body: JsonObject) -> "Problem":
        """Read the error of a build."""
        return cls(body["message"], body.get("path", ""), body.get("line", 0))


class BuildResult(Struct, frozen=True):
    """What one root came to: its objects in Kustomize's order, or a problem; and Kustomize's warnings."""

    objects: tuple[JsonObject, ...]
    problem: Problem | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, body: JsonObject) -> "BuildResult":
        """Read one result of the reply to `build`."""
        error = body.get("error")
        return cls(
            objects=tuple(body.get("objects", ())),
            problem=Problem.from_json(error) if error else None,
            warnings=tuple(body.get("warnings", ())),
        )


class Status(StrEnum):
    """A verdict in one word. `UNCHECKED` is never a pass."""

    VALID = "valid"
    INVALID = "invalid"
    UNCHECKED = "unchecked"


class Violation(Struct, frozen=True):
    """One thing that a schema does not allow, at a JSON pointer into the object."""

    pointer: str
    message: str

    @classmethod
    def from_json(cls, body: JsonObject) -> "Violation":
        """Read one error of a verdict."""
        return cls(body["pointer"], body["message"])


class Verdict(Struct, frozen=True):
    """What the schemas say about one object. An unchecked object's one violation says why."""

    status: Status
    violations: tuple[Violation, ...] = ()

    @classmethod
    def from_json(cls, body: JsonObject) -> "Verdict":
        """Read one verdict of the reply to `validate`."""
        return cls(Status(body["status"]), tuple(map(Violation.from_json, body["errors"])))


class CompileError(Struct, frozen=True):
    """A schema file that does not compile, and why."""

    path: str
    message: str

    @classmethod
    def from_json(cls, body: JsonObject) -> "CompileError":
        """Read one error of the reply to `compile`."""
        return cls(body["path"], body["message"])


class Change(Struct, frozen=True):
    """An object to be admitted, as it is to be and, where it is there already, as it was."""

    object: JsonObject
    before: JsonObject | None = None

    def to_json(self) -> JsonObject:
        """One entry of the request to `judge`."""
        return {"object": self.object, "before": self.before}


class Refusal(Struct, frozen=True):
    """One judge's no in its own words, at a JSON pointer into the object.

    `child` says which of the things made from the object is refused, such as "Pod of Worker"; `change` is True
    where only the change is refused, not the object.
    """

    judge: str
    pointer: str
    message: str
    child: str = ""
    change: bool = False

    @classmethod
    def from_json(cls, body: JsonObject) -> "Refusal":
        """Read one refusal of the reply to `judge`."""
        return cls(**body)


class Admission(Struct, frozen=True):
    """What all judges say of one object: refusals, judges that could not be asked and why, the pods to be made.

    A pod is `{"role", "count", "object", "places", "fallback"}`.
    """

    refusals: tuple[Refusal, ...]
    unjudged: tuple[tuple[str, str], ...]
    pods: tuple[JsonObject, ...]

    @classmethod
    def from_json(cls, body: JsonObject) -> "Admission":
        """Read one verdict of the reply to `judge`."""
        return cls(
            refusals=tuple(map(Refusal.from_json, body["refusals"])),
            unjudged=tuple((each["judge"], each["message"]) for each in body["unjudged"]),
            pods=tuple(body["pods"]),
        )


class MadeObject(Struct, frozen=True):
    """Something that a controller makes, whole and as the API server keeps it: a pod, or what stands between.

    `role` is the part of the workload in its own words ("Worker", "head"), empty where there is one; `index` is its
    number there, as its owner counts. `owner` is the position of that among all that is made, -1 for the workload.
    """

    role: str
    index: int
    owner: int
    body: JsonObject

    @classmethod
    def from_json(cls, body: JsonObject) -> "MadeObject":
        """Read one entry of the reply to `pods`."""
        return cls(body["role"], body["index"], body["owner"], body["object"])


class Production(Struct, frozen=True):
    """A workload as the API server keeps it, all that is made of it, and who refused or could not be asked.

    What is made comes in the order in which it is made, owners first. `kept` is None for what cannot be read.
    """

    kept: JsonObject | None
    made: tuple[MadeObject, ...]
    admission: Admission

    @classmethod
    def from_json(cls, body: JsonObject) -> "Production":
        """Read the reply to `pods`."""
        made = tuple(map(MadeObject.from_json, body["made"]))
        return cls(body["kept"], made, Admission.from_json(body | {"pods": ()}))


class QueueVerdict(Struct, frozen=True):
    """Whether Kueue would ever let a workload run, were nothing else in the queues; `index` is the workload's.

    `reason` is in Kueue's words, `pointer` where the workload asks for what it cannot have. `unchecked` says what
    could not be judged.
    """

    index: int
    admissible: bool
    reason: str = ""
    pointer: str = ""
    resource: str = ""
    flavor: str = ""
    role: str = ""
    unchecked: str = ""

    @classmethod
    def from_json(cls, body: JsonObject) -> "QueueVerdict":
        """Read one admission of the reply to `together`."""
        return cls(**body)


class Together(Struct, frozen=True):
    """What only all objects of a cluster show: their runs in its queues, and refusals by the object's index."""

    runs: tuple[QueueVerdict, ...]
    refusals: tuple[tuple[int, Refusal], ...]

    @classmethod
    def from_json(cls, body: JsonObject) -> "Together":
        """Read the reply to `together`."""
        return cls(
            tuple(map(QueueVerdict.from_json, body["admissions"])),
            tuple(
                (index, Refusal.from_json(refusal))
                for index, refusals in enumerate(body["refusals"])
                for refusal in refusals or ()
            ),
        )
