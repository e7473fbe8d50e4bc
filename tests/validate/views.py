"""Small clusters for rules: YAML in, a view whose sources say the object and the JSON pointer that they stand for."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from msgspec.structs import replace
from repositories import SMALL
from ruamel.yaml import YAML
from stages.street import Files, resolve

from trainshed.model.diagnostic import Diagnostic
from trainshed.model.manifest import Origins, escape_pointer, identify
from trainshed.model.plan import Plan
from trainshed.model.source import Source
from trainshed.validate.view import ClusterView, MadePod, Member

Rule = Callable[[ClusterView], Iterator[Diagnostic]]

NAMESPACE = "{apiVersion: v1, kind: Namespace, metadata: {name: team-vision}}\n---\n"


def pointers(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Everything in a document, by JSON pointer."""
    yield pointer, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from pointers(item, f"{pointer}/{escape_pointer(str(key))}")


def read_members(app: str, text: str) -> Iterator[Member]:
    """The objects of one app; the source of a word is `<Kind> <name>/<pointer>`."""
    for body in filter(None, YAML(typ="safe").load_all(text)):
        identity = identify(body)
        name = f"{identity.kind} {identity.name}"
        parts = [(pointer, Source(PurePosixPath(name + pointer))) for pointer, _ in pointers(body) if pointer]
        origins = Origins(Source(PurePosixPath(name)), tuple(parts))
        yield Member(app, PurePosixPath(f"{name}.yaml"), identity, body, origins)


def make_pods(owner: Member) -> Iterator[MadePod]:
    """A pod for each template in the object, as often as what holds the template says."""
    if owner.identity.kind == "Pod":
        yield MadePod(owner, "", 1, owner.body, (("", ""),), "")
    for pointer, value in pointers(owner.body):
        template = value.get("template") if isinstance(value, dict) else None
        if isinstance(template, dict) and "containers" in template.get("spec", {}):
            count = value.get("replicas", value.get("parallelism", 1))
            role = "" if pointer == "/spec" else pointer.rpartition("/")[2]
            yield MadePod(owner, role, count, template, (("", f"{pointer}/template"),), pointer)


def see(
    apps: str | Mapping[str, str], plan: Plan | None = None, brought: Mapping[str, Any] | None = None
) -> ClusterView:
    """The view of some apps, on the cluster of a plan or on one that is not known.

    `brought` is laid over the spec of every pod: what an operator adds of its own.
    """
    texts = {"": apps} if isinstance(apps, str) else apps
    members = tuple(one for app, text in texts.items() for one in read_members(app, text))
    pods = tuple(pod for one in members for pod in make_pods(one))
    if brought:
        pods = tuple(replace(pod, body=pod.body | {"spec": pod.body["spec"] | brought}) for pod in pods)
    cluster = plan.clusters["lab"] if plan else None
    return ClusterView(
        name="lab" if cluster else "",
        cluster=cluster,
        teams=plan.teams if plan else (),
        targets={target.app: target for target in plan.targets} if plan else {},
        members=members,
        pods=pods,
    )


def lab(files: Files = SMALL) -> Plan:
    """The plan of the small repository, or of files laid over it."""
    resolved = resolve({**SMALL, **files})
    assert resolved.said == []
    return resolved.plan


def with_nodes(plan: Plan, nodes: int) -> Plan:
    """The same plan on a cluster of so many nodes."""
    cluster = plan.clusters["lab"]
    pools = {"cpu": replace(cluster.pools["cpu"], nodes=nodes)}
    return replace(plan, clusters={"lab": replace(cluster, pools=pools)})


def say(findings: Iterable[Diagnostic]) -> list[str]:
    """Each finding as `severity at object/pointer: code: summary`."""
    return [f"{one.severity} at {one.source.path}: {one.code}: {one.summary}" for one in findings]
