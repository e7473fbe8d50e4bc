"""Characters that must not stand in a spec, since a reader of the file cannot see them."""

import re
import unicodedata
from pathlib import PurePosixPath

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Findings, error
from trainshed.model.source import Source

# Controls but tab and line ends; line ends that only some programs see (a lone CR, NEL, LS, PS); marks that
# turn the direction of writing; halves of surrogate pairs; the byte order mark and what is no character.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
    "|\r(?!\n)"
)


def check_characters(text: str, path: PurePosixPath) -> Findings:
    """A finding at the first character that cannot be seen, if there is one."""
    match = _HIDDEN.search(text)
    if not match:
        return ()
    source = locate(text, match.start(), path)
    character = match.group()
    name = unicodedata.name(character, "a control character").lower()
    detail = 'remove it, or write it as an escape in double quotes, such as "\\u0007"'
    return (error(Code.YAML_CHARACTER, source, f"U+{ord(character):04X} cannot be seen: {name}", detail),)


def locate(text: str, index: int, path: PurePosixPath) -> Source:
    """The place of the character at `index`."""
    line_start = text.rfind("\n", 0, index) + 1
    return Source(path, text.count("\n", 0, index) + 1, index - line_start + 1)
