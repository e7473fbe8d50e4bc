"""Reviews whose every word somebody has chosen to deceive, or who have chosen a great many."""

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath

import pytest

from trainshed.model.manifest import AppId, ObjectId
from trainshed.model.review import (
    Cause,
    CauseGroup,
    FieldChange,
    ObjectChange,
    ObjectGroup,
    Review,
    Risk,
    RiskKind,
    RunChange,
    RunGroup,
    RunVerb,
    Verb,
)
from trainshed.model.source import Source
from trainshed.report.review import write_review
from trainshed.report.review.document import format_json
from trainshed.report.review.html import format_html
from trainshed.report.review.markdown import LIMIT_CHARACTERS, format_markdown
from trainshed.report.review.text import format_text

ATTACKS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><style>*{display:none}",
    "</code></summary></details><h1>approved</h1>",
    "@octocat please merge",
    "fixes #1",
    "[click](https://evil.example.com)",
    "https://evil.example.com",
    "`` ``` ` code",
    "| a | b |\n|---|---|",
    "# approved\n\n- all is well",
    "\x1b[2J\x1b[1;1Hno risks",
    "\u202egnp.exe",
    "![](https://evil.example.com/pixel.png)",
    "&lt;b&gt; &#64;octocat",
    "~~gone~~ **bold** _it_",
)


def review_of(words: str, number: int = 1) -> Review:
    """A review that says `words` wherever something foreign can stand."""
    source = Source(PurePosixPath(words.replace("\n", " ")), 3, 7)
    fields = (
        FieldChange(words, words, words, (words,), source=source),
        FieldChange(words, None, None, (), (f"+{words}", f"-{words}", f" {words}"), 1, 1, source=source),
    )
    apps = tuple(AppId(f"{words}{index}", words) for index in range(number))
    identity = ObjectId("v1", words, words, words)
    runs = tuple(
        RunChange(
            verb=RunVerb.RESTARTS,
            team=words,
            job=f"{words}{index}",
            cluster=app.cluster,
            kind=words,
            starts=words,
            ends=f"{words}{index}",
            keeps=(words,),
            resumes=words,
            attempt=1,
            sentences=(words,),
            fields=fields,
            source=source,
            quote=words,
        )
        for index, app in enumerate(apps)
    )
    changes = tuple(ObjectChange(Verb.CHANGED, app, identity, None, fields, source) for app in apps)
    return Review(
        commit="0" * 40,
        headline=words,
        causes=tuple(
            CauseGroup(
                (Cause(source.path, Verb.CHANGED, f"job {words}{app.cluster}", fields, (words,), source),)
            )
            for app in apps
        ),
        runs=tuple(RunGroup(run.verb, (run,), run.fields) for run in runs),
        objects=tuple(ObjectGroup(change.verb, (change,)) for change in changes),
        risks=tuple(Risk(RiskKind.DATA, f"{words}{app.cluster}", (source,), (app,)) for app in apps),
        untouched=1,
        older=1,
        unexplained=1,
        following={words: 2},
    )


class Tags(HTMLParser):
    """The elements of a page, their attributes, and the words between them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}


TAGS = Tags(format_html(review_of("plain")))


@pytest.mark.parametrize("attack", ATTACKS)
def test_page_has_no_element_and_no_attribute_but_its_own(attack: str) -> None:
    tags = Tags(format_html(review_of(attack)))
    assert tags.names <= TAGS.names
    assert tags.attributes <= TAGS.attributes
    assert not {"script", "img", "a", "link", "iframe"} & tags.names


@pytest.mark.parametrize("attack", ATTACKS)
def test_page_asks_the_network_for_nothing(attack: str) -> None:
    page = format_html(review_of(attack))
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)\s*=|url\(|@import", page.replace(attack, "").replace("src=x", ""))


def without_code(text: str) -> str:
    """The Markdown without its blocks and spans of code, in which nothing is read."""
    text = re.sub(r"```+diff\n.*?\n *```+\n", "", text, flags=re.DOTALL)
    text = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", text)
    return re.sub(r"<code>[^<]*</code>", "", text)


@pytest.mark.parametrize("attack", ATTACKS)
def test_comment_shows_foreign_words_as_nothing_but_words(attack: str) -> None:
    outside = without_code(format_markdown(review_of(attack)))
    assert not re.search(r"<(?!/?(?:details|summary|b|sub)>)", outside), outside
    assert "@octocat" not in outside
    assert "#1" not in outside.replace("####", "").replace("###", "")
    assert "https://" not in outside
    assert "](" not in outside.replace("\\]", "")
    assert not re.search(r"^# ", outside, flags=re.MULTILINE)
    assert not re.search(r"(?<!\\)\*\*bold", outside)


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize(
    "form", [format_html, format_markdown, format_json, lambda review: format_text(review, color=False)]
)
def test_no_character_drives_a_terminal_or_turns_the_text_around(
    attack: str, form: Callable[[Review], str]
) -> None:
    shown = form(review_of(attack))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", shown)


@pytest.mark.parametrize("attack", ATTACKS)
def test_document_holds_every_word_as_it_is(attack: str) -> None:
    assert json.loads(format_json(review_of(attack)))["runs"][0]["why"] == attack


@pytest.mark.parametrize("words", ["plain", "é漢" * 60, *ATTACKS])
def test_two_thousand_targets_fit_a_comment_and_stand_whole_beside_it(words: str, tmp_path: Path) -> None:
    review = review_of(words, 2_000)
    write_review(review, "markdown", tmp_path / "review.md")
    comment = (tmp_path / "review.md").read_text("utf-8")
    whole = (tmp_path / "review.full.md").read_text("utf-8")
    assert len(comment.encode()) <= LIMIT_CHARACTERS < len(whole)
    assert "`review.full.md`" in comment
    outside = without_code(comment)
    assert outside.count("<details>") == outside.count("</details>")
    assert whole.count("<details><summary><b>restarts</b>") == 2_000


def test_every_part_is_in_a_comment_that_is_cut() -> None:
    comment = format_markdown(review_of("plain", 2_000), LIMIT_CHARACTERS)
    for title in ("Risks", "What was written", "Runs", "Objects"):
        assert f"#### {title}\n" in comment
    assert len(re.findall(r"\*and [0-9]+ more\*", comment)) >= 3
