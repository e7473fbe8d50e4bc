"""Bytes to text: UTF-8 without a byte order mark, and nothing else."""

import codecs
from pathlib import PurePosixPath

from trainshed.load.file_names import name_source
from trainshed.model.codes import Code
from trainshed.model.diagnostic import error
from trainshed.model.outcome import Outcome
from trainshed.model.source import Source

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "begins with a byte order mark"),
    (codecs.BOM_UTF32_LE, "is written in UTF-32"),
    (codecs.BOM_UTF32_BE, "is written in UTF-32"),
    (codecs.BOM_UTF16_LE, "is written in UTF-16"),
    (codecs.BOM_UTF16_BE, "is written in UTF-16"),
)
_SAVE_AS = 'save it as "UTF-8" (without BOM)'


def decode_text(content: bytes, path: PurePosixPath) -> Outcome[str]:
    """The text of a file; a finding at the first byte that is none."""
    for mark, words in _MARKS:
        if content.startswith(mark):
            return Outcome(None, (error(Code.ENCODING, name_source(path), f"this file {words}", _SAVE_AS),))
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as cause:
        summary = f"byte 0x{content[cause.start]:02x} is not UTF-8"
        return Outcome(None, (error(Code.ENCODING, _place(content, cause.start, path), summary, _SAVE_AS),))
    zero = content.find(b"\0")
    if zero >= 0:
        summary = "a zero byte stands here: this is not text"
        return Outcome(None, (error(Code.ENCODING, _place(content, zero, path), summary, _SAVE_AS),))
    return Outcome(text)


def _place(content: bytes, index: int, path: PurePosixPath) -> Source:
    """The place of the byte at `index`; everything before it is UTF-8."""
    line_start = content.rfind(b"\n", 0, index) + 1
    column = len(content[line_start:index].decode("utf-8")) + 1
    return Source(path, content.count(b"\n", 0, index) + 1, column)
