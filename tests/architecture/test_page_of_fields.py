"""docs/fields.md: every field of every kind of spec, in the words of the types."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conftest import Golden

from trainshed.model.spec import KINDS, describe

PAGE = Path(__file__).parents[2] / "docs" / "fields.md"
PREFACE = """\
# Every field

What a spec may say, kind by kind, in the words that editors show. [Specs](specs.md) says how specs are laid over one
another, [backends](backends.md) which kinds of runs honour what.

This page is written from `generator/trainshed/model/spec/` by `pytest tests/architecture --update-golden`."""

ORDER = ("TrainingJob", "Preset", "Team", "Cluster", "Policy")
LAYERS = ("JobPart", "JobBody", "TeamDefaults")
"""Parts of a job, whose fields are not told a second time."""

SCALARS: tuple[tuple[Mapping[str, Any], str], ...] = (
    ({"pattern": "^[0-9]{1,9}[smhd]$"}, "duration"),
    ({"type": ["string", "number"], "minimum": 0}, "quantity"),
    ({"pattern": "^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$"}, "name"),
    ({"pattern": "^/"}, "path"),
    ({"type": ["string", "integer"]}, "text"),
    ({"type": "string"}, "text"),
    ({"type": "integer"}, "number"),
    ({"type": "number"}, "number"),
    ({"type": "boolean"}, "true or false"),
)
"""How a scalar of the schema reads, the first row that fits."""


def test_the_page_of_fields_is_what_the_types_say(golden: Golden) -> None:
    golden.check(PAGE, "\n".join([*PREFACE.splitlines(), *write_kinds(), ""]))


def test_every_kind_is_on_the_page() -> None:
    assert set(ORDER) == set(KINDS)


def test_every_field_says_what_it_means() -> None:
    silent = [
        f"{name}.{field}"
        for name, properties in sections().items()
        for field, schema in properties.items()
        if not schema.get("description", "").endswith(".")
    ]
    assert silent == []


def sections() -> dict[str, Mapping[str, Any]]:
    """The fields of each kind, then those of each map, each map once."""
    found: dict[str, Mapping[str, Any]] = {}
    for kind in ORDER:
        schema = describe(kind)
        found[kind] = schema["properties"]
        for name, part in schema.get("$defs", {}).items():
            assert found.setdefault(name, part["properties"]) == part["properties"], (
                f"two maps are called {name}"
            )
    return found


def write_kinds() -> Iterator[str]:
    body = describe("TrainingJob")["$defs"]["JobPart"]["properties"]
    for name, properties in sections().items():
        fields = {key: value for key, value in properties.items() if name not in LAYERS or key not in body}
        yield from ("", f"## {name}", "")
        if len(fields) < len(properties):
            yield from (
                "The fields of a [TrainingJob](#trainingjob) but for those about the job as a whole.",
                "",
            )
        if fields:
            yield from ("| field | takes | meaning |", "|---|---|---|")
        for field, schema in fields.items():
            meaning = schema["description"].replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
            yield f"| `{field}` | {spell(schema)} | {meaning} |"


def spell(schema: Mapping[str, Any]) -> str:
    """What a field takes, in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        words = (spell(form) for form in schema["anyOf"] if form.get("type") != "null")
        return " or ".join(dict.fromkeys(word for word in words if word))
    if "const" in schema or "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {spell(schema.get('items', {}))}"
    if schema.get("type") == "object":
        patterns = list(schema.get("patternProperties", {}).values())
        values = patterns[0] if patterns else schema.get("additionalProperties", True)
        return f"map to {spell(values)}" if isinstance(values, dict) and values else "map"
    return next((word for form, word in SCALARS if form.items() <= schema.items()), "anything")
