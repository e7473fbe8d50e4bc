"""One self-contained page: no network, no script, light and dark. Reports bring sections and a style of their own."""

import html
from pathlib import Path

from trainshed.report.glyphs import make_visible

_STYLE = Path(__file__).with_name("page.css")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Whatever a spec might smuggle in, a browser loads and runs nothing."""


def page(*, title: str, kicker: str, headline: str, tiles: str, body: str, foot: str, style: str = "") -> str:
    """A whole page. `tiles`, `body` and `style` are markup; the other words are plain text."""
    return f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{show(title)}</title>
<style>
{_STYLE.read_text("utf-8")}{style}</style>
</head>
<body>
<header><div>
<p class="kicker">{show(kicker)}</p>
<h1>{show(headline)}</h1>
<div class="tiles">{tiles}</div>
</div></header>
<main>
{body}
</main>
<footer>{show(foot)}</footer>
</body>
</html>
"""


def show(text: str) -> str:
    """Plain text as markup, with every character spelled out that could deceive."""
    return html.escape(make_visible(text))


def code(text: str) -> str:
    """A name or a value."""
    return f"<code>{show(text)}</code>"


def tile(number: int, words: str, tone: str) -> str:
    """A count in the header; nought is quiet. Tones: red, amber, green, blue, quiet."""
    return (
        f'<div class="tile {tone if number else "quiet"}"><b>{number:,}</b><span>{show(words)}</span></div>'
    )


def section(title: str, body: str, note: str = "") -> str:
    """A heading and what stands below it; nothing where nothing does."""
    small = f"<small>{show(note)}</small>" if note else ""
    return f"<section>\n<h2>{show(title)}{small}</h2>\n{body}\n</section>" if body else ""


def pill(words: str, tone: str) -> str:
    """A word in color."""
    return f'<span class="pill {tone}">{show(words)}</span>'


def details(summary: str, body: str, is_open: bool = False) -> str:
    """What a reader may open; both are markup."""
    return f"<details{' open' if is_open else ''}><summary>{summary}</summary>\n{body}\n</details>"
