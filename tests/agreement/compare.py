"""Compares the chain of judges with a real API server, object by object, and lists every disagreement.

    KUBECONFIG=… uv run python tests/agreement/compare.py rendered/kind tests/agreement/cases

The server must run the releases that the engine links, with the operators and their webhooks. Every object of the
folders is asked about as it is, and then damaged in one place at a time (`damage.py`); both are asked about each.
`--changes` asks about changes of objects that are there, in place of new ones. The exit code is the number of
disagreements, 100 at most.
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from damage import damaged
from ruamel.yaml import YAML
from server import Server

from trainshed.engine.admission import Court, admit
from trainshed.engine.messages import Admission, Change
from trainshed.engine.pool import EnginePool
from trainshed.validate.judges import LOOKED_AT
from trainshed.validate.schemas import newest_folders

JsonObject = dict[str, Any]

ROOT = Path(__file__).parents[2]
ON_THE_GROUND = tuple(
    dict.fromkeys(("Namespace", "ServiceAccount", "ResourceFlavor", "Cohort", *sorted(LOOKED_AT)))
)
"""What is applied for real before anything is asked, for judges look at it."""

LATER = {"kuberay", "mpi-operator", "pod-security", "limit-range", "resource-quota"}
"""Judges that a server's first answer does not hold: they speak in a controller, or when pods are made."""


@dataclass(frozen=True)
class Question:
    name: str
    body: JsonObject
    before: JsonObject | None = None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--every", type=int, default=1, help="only every Nth damage of an object")
    parser.add_argument("--kinds", type=int, default=3, help="at most so many objects of a kind")
    parser.add_argument("--changes", action="store_true", help="change objects that are there")
    options = parser.parse_args()

    server = Server.of_kubeconfig()
    objects = list(read_objects(options.folders))
    ground = [body for kind in ON_THE_GROUND for body in objects if body["kind"] == kind]
    for body in (*namespaces_of(objects), *ground):
        server.refuses(body, dry_run=False)
    chosen = list(choose(objects, options.kinds))
    questions = [question for body in chosen for question in ask(body, options, server)]
    court = Court(newest_folders(ROOT), "", [body for body in ground if body["kind"] in LOOKED_AT])
    with EnginePool() as engine:
        changes = (Change(question.body, question.before) for question in questions)
        admissions = list(admit(changes, court, engine=engine))
    said = [server.refuses(question.body) for question in questions]
    return report(questions, admissions, said)


def read_objects(folders: list[Path]) -> Iterator[JsonObject]:
    for folder in folders:
        for path in sorted(folder.rglob("*.yaml")) if folder.is_dir() else [folder]:
            yield from filter(None, YAML(typ="safe").load_all(path.read_text()))


def namespaces_of(objects: list[JsonObject]) -> Iterator[JsonObject]:
    """Namespaces that objects are in and nobody describes."""
    described = {body["metadata"]["name"] for body in objects if body["kind"] == "Namespace"}
    for name in sorted({body["metadata"].get("namespace") or "default" for body in objects} - described):
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def choose(objects: list[JsonObject], most: int) -> Iterator[JsonObject]:
    seen: Counter[str] = Counter()
    for body in objects:
        seen[body["kind"]] += 1
        if seen[body["kind"]] <= most and body["kind"] != "CustomResourceDefinition":
            yield body


def ask(body: JsonObject, options: argparse.Namespace, server: Server) -> Iterator[Question]:
    name = f"{body['kind']} {body['metadata']['name']}"
    before = body if options.changes else None
    if options.changes:
        if server.refuses(body, dry_run=False):
            return
    elif body["kind"] in ON_THE_GROUND:
        body = body | {"metadata": body["metadata"] | {"name": f"{body['metadata']['name']}-asked"}}
    yield Question(f"{name}: as it is", body, before)
    for number, (what, broken) in enumerate(damaged(body)):
        if number % options.every == 0:
            yield Question(f"{name}: {what}", broken, before)


def refused_at_once(admission: Admission) -> list[str]:
    return [
        f"{refusal.judge} {refusal.pointer}: {refusal.message}"
        for refusal in admission.refusals
        if not refusal.child and refusal.judge not in LATER
    ]


def report(questions: list[Question], admissions: list[Admission], said: list[str]) -> int:
    counts: Counter[str] = Counter()
    wrong: dict[str, list[str]] = defaultdict(list)
    for question, admission, server in zip(questions, admissions, said, strict=True):
        chain = refused_at_once(admission)
        later = [refusal for refusal in admission.refusals if f"{refusal.judge}" in LATER or refusal.child]
        if admission.unjudged:
            wrong["not judged"].append(
                f"{question.name}\n    {admission.unjudged[0]}\n    server: {server or 'takes it'}"
            )
        if server and chain:
            counts["both refuse"] += 1
        elif server and later:
            counts["both refuse, the chain for a later reason"] += 1
        elif server:
            wrong["only the server refuses"].append(f"{question.name}\n    {server}")
        elif chain:
            wrong["only the chain refuses"].append(f"{question.name}\n    {chain[0]}")
        elif later:
            counts["the server takes it, a controller would not"] += 1
        else:
            counts["both take it"] += 1
    for title, cases in wrong.items():
        print(f"\n== {title}: {len(cases)}\n" + "\n".join(cases))
    print(f"\n{len(questions)} questions")
    for title, count in (*counts.items(), *((title, len(cases)) for title, cases in wrong.items())):
        print(f"{count:7} {title}")
    return min(100, sum(map(len, wrong.values())))


if __name__ == "__main__":
    sys.exit(main())
