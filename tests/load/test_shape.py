"""A document against its type: each misfit at its word, once, in plain words."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, get_args

import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import ErrorType

from trainshed.load.shape import read_shape
from trainshed.load.yaml_tree import read_yaml
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Findings
from trainshed.model.outcome import Outcome

Spell = Callable[[Findings], list[str]]


FILE = PurePosixPath("a.yaml")
WORDS = {"restartPolicy": 'use "restarts: N"; pods are never restarted in place'}


def check_name(text: str) -> str:
    if not text.islower():
        raise PydanticCustomError(
            "bad-name", "{message}", {"message": f'"{text}" is no name', "detail": "small"}
        )
    return text


def check_port(value: int) -> int:
    if value == 22:
        raise ValueError("port 22 is taken")
    if value == 23:
        raise PydanticCustomError("no_such_code", "inner words")
    if value == 24:
        raise AssertionError
    return value


Name = Annotated[str, AfterValidator(check_name)]


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel)


class Nodes(Closed):
    min: Annotated[int, Field(ge=1, le=100)] = 1
    max: int | None = None

    @model_validator(mode="after")
    def check_order(self) -> "Nodes":
        if self.max is not None and self.max < self.min:
            raise PydanticCustomError(
                "inverted-range", "2 is more than 1", {"detail": "swap", "field": "max"}
            )
        return self


class Disk(Closed):
    type: Literal["disk"]
    size: str


class Bucket(Closed):
    type: Literal["bucket"]
    mount_path: str


class Spec(Closed):
    kind: Literal["Spec"]
    name: Name
    nodes: Nodes | None = None
    roles: dict[Name, Nodes] = {}
    lists: tuple[Nodes, ...] = ()
    colour: Colour = Colour.RED
    level: Literal[1, 2] = 1
    args: list[str] = []
    ratio: Annotated[float, Field(gt=0, lt=1)] = 0.5
    step: Annotated[int, Field(multiple_of=4)] = 4
    code: Annotated[str, Field(min_length=2, max_length=4)] = "abc"
    form: Annotated[str, Field(pattern="^a")] = "a"
    pair: Annotated[list[int], Field(min_length=1, max_length=2)] = [1]
    paused: bool = False
    port: Annotated[int, AfterValidator(check_port)] = 1
    store: Annotated[Disk | Bucket, Field(discriminator="type")] | None = None
    stores: dict[str, Annotated[Disk | Bucket, Field(discriminator="type")]] = {}
    either: int | Nodes | list[int] | None = None
    choice: Literal["auto"] | int = "auto"
    lifted: Annotated[Nodes, BeforeValidator(lambda value: {"min": value})] | None = None


def read(body: str) -> Outcome[Spec]:
    return read_whole(f"kind: Spec\nname: a\n{body}")


def read_whole(text: str) -> Outcome[Spec]:
    tree = read_yaml(text, FILE)
    assert tree.value is not None, tree.findings
    return read_shape(tree.value, Spec, WORDS)


def test_document_that_fits_becomes_its_type() -> None:
    outcome = read("nodes: {min: 2, max: 4}\nlists: [{}]\ncolour: blue\nroles: {b: {}, a: {}}\nratio: 0.25\n")
    assert outcome.findings == ()
    assert outcome.value == Spec(
        kind="Spec",
        name="a",
        nodes=Nodes(min=2, max=4),
        lists=(Nodes(),),
        colour=Colour.BLUE,
        roles={"b": Nodes(), "a": Nodes()},
        ratio=0.25,
    )
    assert outcome.value is not None
    assert list(outcome.value.roles) == ["b", "a"]


@pytest.mark.parametrize(
    ("body", "finding", "detail"),
    [
        ("nodez: 1", '3:1+5 unknown-field: unknown field "nodez"', 'did you mean "nodes"?'),
        ("zebra: 1", '3:1+5 unknown-field: unknown field "zebra"', ""),
        ("restartPolicy: x", '3:1+13 unknown-field: unknown field "restartPolicy"', WORDS["restartPolicy"]),
        ("nodes: {mni: 1}", '3:9+3 unknown-field: unknown field "mni" in "nodes"', 'did you mean "min"?'),
        (
            "roles: {b: {q: 1}}",
            '3:13+1 unknown-field: unknown field "q" in "roles.b"',
            "known here: max, min",
        ),
        (
            "lists: [{}, {Max: 1}]",
            '3:14+3 unknown-field: unknown field "Max" in "lists[1]"',
            'did you mean "max"?',
        ),
        (
            "store: {type: bucket, mount_path: x, mountPath: y}",
            '3:23+10 unknown-field: unknown field "mount_path" in "store"',
            'did you mean "mountPath"?',
        ),
        ("nodes: four", '3:8+4 wrong-type: expected a map, found text "four"', "below it"),
        ("nodes: [1]", "3:1+5 wrong-type: expected a map, found a list", "below it"),
        ("nodes: {min: four}", '3:14+4 wrong-type: expected a whole number, found text "four"', "in digits"),
        (
            "nodes: {min: '4'}",
            '3:14+3 wrong-type: expected a whole number, found text "4"',
            "remove the quotes",
        ),
        ("nodes: {min: 1.5}", "3:14+3 wrong-type: expected a whole number, found the number 1.5", ""),
        ("nodes: {min: true}", "3:14+4 wrong-type: expected a whole number, found true", ""),
        ("nodes:\n  min:\n", "4:3+3 wrong-type: expected a whole number, found nothing", "behind the colon"),
        ("nodes: {min: {a: 1}}", "3:9+3 wrong-type: expected a whole number, found a map", "a single value"),
        ("args: [--a, 5]", "3:13+1 wrong-type: expected text, found the number 5", "put it in quotes"),
        ("args: --a", '3:7+3 wrong-type: expected a list, found text "--a"', "write it as a list: [--a]"),
        ("paused: yes", '3:9+3 wrong-type: expected true or false, found text "yes"', "write true"),
        ("paused: Off", '3:9+3 wrong-type: expected true or false, found text "Off"', "write false"),
        ("paused: 1", "3:9+1 wrong-type: expected true or false, found the number 1", "write true"),
        ("ratio: x", '3:8+1 wrong-type: expected a number, found text "x"', "in digits"),
        ("colour: rde", '3:9+3 unknown-value: unknown value "rde" for "colour"', 'did you mean "red"?'),
        ("colour: zzz", '3:9+3 unknown-value: unknown value "zzz" for "colour"', "known here: blue, red"),
        ("colour: [red]", "3:1+6 wrong-type: expected one of red, blue, found a list", "a single value"),
        ("level: 3", "3:8+1 wrong-type: expected one of 1, 2, found the number 3", ""),
        ("nodes: {min: 0}", "3:14+1 bad-value: 0 is less than 1", "write at least 1"),
        ("nodes: {min: 101}", "3:14+3 bad-value: 101 is more than 100", "write at most 100"),
        ("ratio: 0", "3:8+1 bad-value: 0 is not more than 0", "write more than 0"),
        ("ratio: 1.0", "3:8+3 bad-value: 1.0 is not less than 1", "write less than 1"),
        ("step: 5", "3:7+1 bad-value: 5 is not a multiple of 4", "write a multiple of 4"),
        ("code: x", '3:7+1 bad-value: "x" is too short', "write at least 2 characters"),
        ("code: abcde", '3:7+5 bad-value: "abcde" is too long', "write at most 4 characters"),
        ("form: b", '3:7+1 bad-value: "b" is not written as it must be', "it has to match ^a"),
        ("pair: []", "3:1+4 bad-value: this list has too few items", "write at least 1"),
        ("pair: [1, 2, 3]", "3:1+4 bad-value: this list has too many items", "write at most 2"),
        ("port: 22", "3:7+2 bad-value: port 22 is taken", ""),
        ("port: 23", "3:7+2 bad-value: 23 cannot stand here", ""),
        ("port: 24", "3:7+2 bad-value: 24 cannot stand here", ""),
        ("roles: {b: {}, BAD: {}}", '3:16+3 bad-name: "BAD" is no name', "small"),
        ("nodes: {min: 2, max: 1}", "3:22+1 inverted-range: 2 is more than 1", "swap"),
        (
            "store: {type: bucket}",
            '3:1+5 missing-field: field "mountPath" is missing in "store"',
            'add "mountPath: …"',
        ),
        ("store: {size: 1}", '3:1+5 missing-field: field "type" is missing in "store"', 'add "type: …"'),
        (
            "store: {type: dsk}",
            '3:15+3 unknown-value: unknown value "dsk" for "type"',
            'did you mean "disk"?',
        ),
        (
            "stores:\n  disk: {type: disk, size: 5}\n",
            "4:28+1 wrong-type: expected text, found the number 5",
            "put it in quotes",
        ),
        (
            "store: {type: disk, size: a, disk: {size: 1}}",
            '3:30+4 unknown-field: unknown field "disk" in "store"',
            "known here: mountPath, size, type",
        ),
        ("either: {min: x}", '3:15+1 wrong-type: expected a whole number, found text "x"', "in digits"),
        ("either: [a]", '3:10+1 wrong-type: expected a whole number, found text "a"', "in digits"),
        (
            "either: x",
            '3:9+1 wrong-type: expected a whole number or a map or a list, found text "x"',
            "in digits",
        ),
        ("choice: no", '3:9+2 wrong-type: expected one of auto or a whole number, found text "no"', ""),
        ("lifted: x", '3:9+1 wrong-type: expected a whole number, found text "x"', "in digits"),
    ],
)
def test_misfit_is_told_once_at_its_word(body: str, finding: str, detail: str, spell: Spell) -> None:
    outcome = read(body)
    assert outcome.value is None
    assert spell(outcome.findings) == [finding]
    assert detail in outcome.findings[0].detail
    assert bool(detail) == bool(outcome.findings[0].detail)


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("kind: Spec\n", ['1:7+4 missing-field: field "name" is missing']),
        ("name: a\n", ['1:7+1 missing-field: field "kind" is missing']),
        (
            "# nothing\ncolour: red\n",
            ['2:1+6 missing-field: field "kind" is missing', '2:1+6 missing-field: field "name" is missing'],
        ),
        (
            "kind: Spec\nname: A\nnodes: {min: x}\nlists:\n  - a\nb: 1\n",
            [
                '2:7+1 bad-name: "A" is no name',
                '3:14+1 wrong-type: expected a whole number, found text "x"',
                '5:5+1 wrong-type: expected a map, found text "a"',
                '6:1+1 unknown-field: unknown field "b"',
            ],
        ),
    ],
)
def test_findings_of_a_document_come_together(text: str, findings: list[str], spell: Spell) -> None:
    assert spell(read_whole(text).findings) == findings


def test_no_code_of_ours_is_a_word_of_pydantic() -> None:
    known: tuple[Any, ...] = get_args(ErrorType)
    assert len(known) > 50
    assert not set(known) & {code.value for code in Code}
