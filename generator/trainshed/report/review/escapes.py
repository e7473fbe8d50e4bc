"""Foreign words in Markdown: nothing that stands in a spec becomes a link, a mention, a tag or a heading.

GitHub links mentions, issues and addresses in any text but code (GitHub Flavored Markdown, 6.9 and "Autolinked
references"), so that whatever a person could have chosen freely stands as code.
"""

import html
import re
from collections.abc import Iterable

from trainshed.report.glyphs import make_visible

_SPECIAL = re.compile(r"([\\`*_{}\[\]|~])")
_LINKED = re.compile(r"[@#]|:(?=//)|(?i:www)(?=\.)|(?i:GH-)(?=[0-9])")
_NOTHING = "&#8203;"
"""A space without width: GitHub takes what follows `@` for a name only if it follows at once."""

_TICKS = re.compile("`+")


def plain(text: str) -> str:
    """A sentence of ours with foreign names in it, as plain text."""
    safe = _SPECIAL.sub(r"\\\1", html.escape(_one_line(text), quote=False))
    return _LINKED.sub(lambda match: match[0] + _NOTHING, safe)


def code(text: str) -> str:
    """Foreign text as a span of code, whatever backticks it holds."""
    shown = _one_line(text)
    ticks = "`" * (max(map(len, _TICKS.findall(shown)), default=0) + 1)
    pad = " " if not shown or "`" in (shown[0], shown[-1]) or shown.strip() != shown else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def code_html(text: str) -> str:
    """Foreign text as code inside a line of HTML, where Markdown is not read."""
    return f"<code>{html.escape(_one_line(text))}</code>"


def fence(lines: Iterable[str], indent: str) -> str:
    """A difference as a block of code, behind a list item of that indent."""
    shown = [f"{indent}{_one_line(line)}" for line in lines]
    ticks = "`" * max(3, max((len(run) for line in shown for run in _TICKS.findall(line)), default=0) + 1)
    return "\n" + "\n".join([f"{indent}{ticks}diff", *shown, f"{indent}{ticks}"])


def _one_line(text: str) -> str:
    return make_visible(text.replace("\n", " "))
