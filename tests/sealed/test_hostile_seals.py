"""Seals come from pull requests: whatever stands in one ends in a finding at its line, never in a traceback."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sealed.shed import Shed

DEEP = "[" * 100_000
TEXTS: Mapping[str, str | bytes] = {
    "empty": "",
    "no JSON": "team: vision\n",
    "a list": "[]",
    "a string": '"seal"',
    "cut off": '{"team": "vision",',
    "deep": DEEP,
    "deep in a field": '{"files": ' + DEEP + "}",
    "huge": " " * (2**20 + 1),
    "no text": b"\xff\xfe\x00",
    "a zero byte": '{"team": "vi\0sion"}',
    "not a number": '{"attempt": NaN}',
    "numbers without end": '{"attempt": ' + "9" * 10_000 + "}",
    "half a surrogate": '{"team": "\\ud800"}',
    "conflict": '{\n<<<<<<< HEAD\n"team": "a",\n=======\n"team": "b",\n>>>>>>> theirs\n}\n',
}
WORDS: Mapping[str, tuple[dict[str, Any], str]] = {
    "another team": ({"team": "fraud"}, "it speaks of plain-"),
    "another job": ({"job": "wide"}, "it speaks of plain-"),
    "another cluster": ({"cluster": "west"}, "it speaks of plain-"),
    "a path for a cluster": ({"cluster": "../../../etc"}, "it speaks of plain-"),
    "another run": ({"run": "plain-0badcafe"}, "it speaks of plain-0badcafe"),
    "a path for a run": ({"run": "../../../../etc/passwd"}, "it speaks of ../../../../etc/passwd"),
    "another digest": ({"digest": "f" * 64}, "its digest and attempt name another run"),
    "another attempt": ({"attempt": 7}, "its digest and attempt name another run"),
    "a later version": ({"digest_version": 2}, "this trainshed takes digests by rule 1"),
    "a word for a number": ({"attempt": "1"}, "attempt: expected int, got str"),
    "true for a number": ({"attempt": True}, "attempt: expected int, got bool"),
    "a number for a word": ({"kind": 1}, "kind: expected str, got int"),
    "a list of files": ({"files": ["a"]}, "files: expected object, got array"),
    "no files": ({"files": None}, "files: expected object, got null"),
    "an unknown field": ({"owner": "me"}, "object contains unknown field owner"),
    "a path out": (
        {"files": {"../../../etc/passwd": "0"}},
        "it names a file that is not beside its run's objects",
    ),
    "an absolute path": (
        {"claims": {"/etc/passwd": "0"}},
        "it names a file that is not beside its run's objects",
    ),
    "a folder above": ({"shared": {"..": "0"}}, "it names a file that is not beside its run's objects"),
    "no name": ({"files": {"": "0"}}, "it names a file that is not beside its run's objects"),
    "an unknown ending": (
        {"outcome": {"state": "lost", "finished": "", "why": ""}},
        "outcome: invalid enum value 'lost'",
    ),
}
OBJECTS: Mapping[str, str] = {
    "empty": "",
    "a list": "- a\n",
    "no kind": "apiVersion: v1\nmetadata: {name: x}\n",
    "no metadata": "apiVersion: v1\nkind: ConfigMap\n",
    "names that are maps": "apiVersion: {}\nkind: [a]\nmetadata: {name: {}}\n",
    "an alias": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: &a {b: *a}\n",
    "aliases of aliases": "a: &a [x]\nb: &b [*a, *a]\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\n",
    "two documents": "apiVersion: v1\nkind: A\nmetadata: {name: x}\n---\nkind: B\n",
    "a List": "apiVersion: v1\nkind: List\nitems: []\n",
    "no YAML": "{{{",
    "a tab": "apiVersion:\tv1\n\tkind: x\n",
    "a tag": "!!python/object:os.system {}\n",
    "not a number": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\nspec: {a: .nan}\n",
}


SEALS = "overlays/job-vision-plain/lab/seals"


def findings(said: str, code: str) -> dict[str, str]:
    """The sentence of each finding of the code, by its place."""
    lines = [line for line in said.splitlines() if f": error[{code}]: " in line]
    parts = [line.split(f": error[{code}]: ") for line in lines]
    return {part[0]: part[1] for part in parts}


def test_a_seal_that_is_none_is_said_and_so_is_every_other(shed: Shed) -> None:
    shed.write({f"{SEALS}/{index}.json": text for index, text in enumerate(TEXTS.values())})
    said = shed.refuse("check")
    found = findings(said, "bad-seal")
    assert {place.split(":")[0] for place in found} == {
        f"{SEALS}/{index}.json" for index in range(len(TEXTS))
    }
    assert said.endswith(f"\n{len(TEXTS)} errors\n")
    assert "`trainshed render --base origin/main` puts it back as it was merged" in said
    conflict = list(TEXTS).index("conflict")
    assert found[f"{SEALS}/{conflict}.json:2:1"].endswith(
        "is no seal: it holds the conflict markers of a merge"
    )


def test_upon_a_base_a_seal_that_is_none_is_put_back(shed: Shed) -> None:
    before = shed.tree()
    for name, text in zip(("plain", "ray", "swept", "trainer"), TEXTS.values(), strict=False):
        shed.write({shed.seal_path(name): text})
    said = shed.refuse("check", "--base", "main")
    assert len(findings(said, "sealed-changed")) == 4
    shed.render("--base", "main")
    assert shed.tree() == before


def test_wrong_words_are_said_at_the_word(shed: Shed) -> None:
    good = shed.seal("plain")
    files = {f"plain-{index:08x}": fields for index, (fields, _) in enumerate(WORDS.values())}
    for run, fields in files.items():
        seal = {**good, "run": run, "digest": run.removeprefix("plain-") * 8, **fields}
        shed.write({f"{SEALS}/{run}.json": json.dumps(seal, indent=2)})
    found = findings(shed.refuse("check"), "bad-seal")
    whys = {place.split(":")[0]: text.partition(" is no seal: ")[2] for place, text in found.items()}
    for run, (_, why) in zip(files, WORDS.values(), strict=True):
        assert whys[f"{SEALS}/{run}.json"].startswith(why), run
    wrong = next(place for place, text in found.items() if text.endswith("takes digests by rule 1"))
    assert wrong.split(":")[1] == "6", "the line of digest_version"


def test_seals_in_other_places_are_files_that_no_spec_makes(shed: Shed) -> None:
    text = json.dumps(shed.seal("plain"))
    places = (
        "overlays/job-vision-plain/seals/lab/plain.json",
        "overlays/seals/plain.json",
        "rendered/lab/seals/plain.json",
        "overlays/job-vision-plain/lab/seals/plain.txt",
    )
    shed.write(dict.fromkeys(places, text))
    said = shed.refuse("check")
    assert all(f"{place}:1:1: error[foreign-file]" in said for place in places)


def test_a_seal_among_the_seals_of_another_app_is_said(shed: Shed) -> None:
    name = shed.runs("plain")[0]
    place = f"overlays/job-vision-ray/lab/seals/{name}.json"
    shed.write({place: json.dumps(shed.seal("plain"))})
    assert f"{place}:1:1: error[bad-seal]" in shed.refuse("check")


def test_sealed_files_that_are_no_objects_are_said(shed: Shed) -> None:
    folder = "rendered/lab/job-vision-plain"
    texts = {f"configmap-{index}.yaml": text for index, text in enumerate(OBJECTS.values())}
    shed.write({f"{folder}/{name}": text for name, text in texts.items()})
    hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    shed.forge("plain", files={**shed.seal("plain")["files"], **hashes})
    found = findings(shed.refuse("check"), "bad-seal")
    assert found == {f"{folder}/{name}:1:1": f"{name} is sealed and no object" for name in texts}


def test_a_seal_of_no_files_makes_nothing_vanish(shed: Shed) -> None:
    (file,) = shed.seal("plain")["files"]
    shed.forge("plain", files={}, shared={})
    assert "error[" in shed.refuse("check")
    assert file in shed.rendered("plain")


def test_two_seals_that_claim_one_object_end_in_a_finding(shed: Shed) -> None:
    """One job's seal names a file whose object belongs to another job."""
    (file,) = shed.seal("plain")["files"]
    text = (shed.path / f"rendered/lab/job-vision-ray/{shed.rendered('ray')[1]}").read_text()
    shed.write({f"rendered/lab/job-vision-plain/{file}": text})
    shed.forge("plain", files={file: hashlib.sha256(text.encode()).hexdigest()}, shared={})
    said = shed.refuse("check")
    assert "error[object-twice]" in said
