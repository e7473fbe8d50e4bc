"""Values as short text: no secret, nothing that runs over the page, long texts as the lines that differ."""

import json
from collections import Counter
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from trainshed.model.review import FieldChange
from trainshed.model.secrets import HIDDEN, hide_secrets, may_show, names_secret

MOST_CHARACTERS = 160
MOST_LINES = 40
"""How many lines of a difference are shown."""

_MATCHED_LINES = 4_000
"""Up to here lines are aligned, which costs their square at worst; beyond, they are only counted."""

_AROUND = 1


class TextDifference(NamedTuple):
    """The lines that differ, with their signs and one line around them, as far as they are shown; and how many do."""

    lines: tuple[str, ...]
    added: int
    removed: int


def tell_change(words: str, before: Any, after: Any, is_hidden: bool = False) -> FieldChange:
    """A field with its values: in a line each, or the lines of a long text that differ."""
    if is_hidden:
        before, after = hide(before), hide(after)
    if is_long(before) or is_long(after):
        return FieldChange(words, None, None, (), *compare_texts(str(before or ""), str(after or "")))
    if isinstance(before, list) and isinstance(after, list):
        return FieldChange(words, *say_lists(before, after))
    return FieldChange(words, say(before), say(after))


def say(value: Any) -> str | None:
    """A value in one line; None for what is not there. A list of plain values is its words."""
    if value is None:
        return None
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        text = " ".join(map(str, value))
    elif isinstance(value, dict) and value.keys() == {"name", "value"}:
        text = str(value["value"])
    elif isinstance(value, dict | list):
        text = json.dumps(value, ensure_ascii=False, separators=(", ", ": ")).replace('"', "")
    else:
        text = str(value)
    return shorten(text)


def shorten(text: str, most: int = MOST_CHARACTERS) -> str:
    """One line of at most so many characters, without credentials."""
    safe = hide_secrets(" ".join(text.split()) if "\n" in text else text)
    safe = safe if may_show(safe) else HIDDEN
    return safe if len(safe) <= most else safe[: most - 1] + "…"


def say_lists(before: list[Any], after: list[Any]) -> tuple[str | None, str | None]:
    """What only one of two lists of plain values has; both in full where they differ in their order alone."""
    old, new = Counter(map(str, before)), Counter(map(str, after))
    gone, come = list((old - new).elements()), list((new - old).elements())
    if not gone and not come:
        return say(before), say(after)
    return (say(gone) if gone else None), (say(come) if come else None)


def is_secret(path: tuple[str, ...]) -> bool:
    """Whether the value at a path is one that only its secret should hold: a variable of such a name, written out."""
    return bool(path) and (names_secret(path[-1]) or (path[-1] == "value" and names_secret(path[-2])))


def hide(value: Any) -> Any:
    """A secret value as it is shown; a reference to where it is kept stays."""
    if isinstance(value, dict) and "value" not in value:
        return value
    return None if value is None else HIDDEN


def is_long(value: Any) -> bool:
    """Whether a text is better shown by its lines."""
    return isinstance(value, str) and ("\n" in value.strip() or len(value) > 2 * MOST_CHARACTERS)


def compare_texts(before: str, after: str) -> TextDifference:
    """The lines that differ between two texts."""
    old, new = before.splitlines(), after.splitlines()
    if len(old) + len(new) > _MATCHED_LINES:
        counted_old, counted_new = Counter(old), Counter(new)
        return TextDifference((), (counted_new - counted_old).total(), (counted_old - counted_new).total())
    lines: list[str] = []
    added = removed = 0
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_AROUND):
        if lines:
            lines.append("…")
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                lines += [f" {line}" for line in old[old_from:old_to]]
                continue
            lines += [f"-{line}" for line in old[old_from:old_to]]
            lines += [f"+{line}" for line in new[new_from:new_to]]
            removed += old_to - old_from
            added += new_to - new_from
    shown = tuple(line if may_show(line) else f"{line[:1]}{HIDDEN}" for line in lines[:MOST_LINES])
    return TextDifference(tuple(line[:MOST_CHARACTERS] for line in shown), added, removed)
