"""Keeps what Secrets hold out of all that a rehearsal tells, and out of what it keeps of it."""

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from trainshed.model.rehearsal import Event
from trainshed.model.secrets import HIDDEN, hide_secrets
from trainshed.rehearse.kubelet.setting import Setting

_LEAST_CHARACTERS = 4
"""A shorter value, a `1` or a `yes`, is in too many words that have nothing to do with it."""

_MADE_BY_CONTROLLERS = "placeholder"
"""What the engine writes for keys that a controller would roll dice for (engine/admission/pods.go)."""


@dataclass(frozen=True, slots=True)
class Mask:
    """Hides values, the longest first, and whatever has the form of a credential."""

    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, setting: Setting) -> "Mask":
        """For every value of a Secret among the manifests, and every one that the person said."""
        values = sorted(set(_values_of(setting)), key=lambda value: (-len(value), value))
        return cls(re.compile("|".join(map(re.escape, values))) if values else None)

    def hide(self, text: str) -> str:
        """The text without them."""
        return hide_secrets(self.pattern.sub(HIDDEN, text) if self.pattern else text)

    def cover(self, event: Event) -> Event:
        """The event without them."""
        detail = {name: self.hide(value) for name, value in event.detail.items()}
        return replace(event, text=self.hide(event.text), detail=detail)


def _values_of(setting: Setting) -> Iterator[str]:
    """Whole values, and the lines of a long one: a key that is printed comes out line by line."""
    for value in _texts_of(setting):
        for text in (value.strip(), *(line.strip() for line in value.splitlines())):
            if len(text) >= _LEAST_CHARACTERS and text != _MADE_BY_CONTROLLERS:
                yield text


def _texts_of(setting: Setting) -> Iterator[str]:
    yield from setting.secret_values.values()
    for secret in setting.secrets:
        yield from map(str, (secret.get("stringData") or {}).values())
        for encoded in map(str, (secret.get("data") or {}).values()):
            yield encoded
            yield _decode(encoded)


def _decode(encoded: str) -> str:
    """The text that was encoded; nothing for what is no base64: no container starts with that."""
    try:
        return base64.b64decode(encoded, validate=True).decode("utf-8", "replace")
    except ValueError:
        return ""
