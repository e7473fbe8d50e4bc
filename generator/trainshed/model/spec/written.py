"""The ground that all spec types stand on: closed, frozen, camelCase in YAML, and scalars that lift to maps."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from trainshed.model.spec.docstrings import read_docstrings


class Written(BaseModel):
    """A map in a spec. Unknown words are refused; what is not written is None."""

    model_config = ConfigDict(
        defer_build=True,
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        validate_by_name=False,
        validate_by_alias=True,
    )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """The schema, each field described by the words below it, which pydantic would read whenever it is imported."""
        full = handler(schema)
        properties = handler.resolve_ref_schema(full)["properties"]
        for below in (kind for kind in reversed(cls.__mro__) if issubclass(kind, Written)):
            for name, words in read_docstrings(below):
                properties[cls.model_fields[name].alias or name]["description"] = words
        return full


@dataclass(frozen=True, slots=True)
class Lift:
    """A scalar that is written for a map: `gpus: 4` means `gpus: {perNode: 4}`.

    Layers are merged after lifting, or a scalar in one layer would wipe out the map of another.
    `keys` are what the scalar becomes; `types` are the JSON types that the short form may have.
    """

    keys: tuple[str, ...]
    types: tuple[str, ...]

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        full = handler(schema)
        model = next(form for form in full.get("anyOf", [full]) if "$ref" in form)
        field = handler.resolve_ref_schema(model)["properties"][self.keys[0]]
        short = [form for form in field.get("anyOf", [field]) if form.get("type") != "null"]
        return {"anyOf": [*short, full]}


@dataclass(frozen=True, slots=True)
class LiftNames:
    """A name or a list of names that is written for a map: `clusters: [a, b]` means `{a: {}, b: {}}`."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        names: dict[str, Any] = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
        return {"anyOf": [{"type": "string"}, names, handler(schema)]}


@dataclass(frozen=True, slots=True)
class LiftItem:
    """One item that is written for a list: `extends: a` means `extends: [a]`."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string"}, handler(schema)]}
