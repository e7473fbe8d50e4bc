"""What a plan looks like in each format, from values: names that nobody should trust, and what is left out."""

import json
import re
from fractions import Fraction
from pathlib import PurePosixPath

import pytest

from trainshed.model.asks import (
    Amount,
    Ask,
    Hours,
    Level,
    Outlook,
    Place,
    Prognosis,
    Prospect,
    RunTurn,
    Share,
    Turn,
    Verdict,
)
from trainshed.model.manifest import ObjectId
from trainshed.report.plan.document import format_json
from trainshed.report.plan.html import format_html
from trainshed.report.plan.markdown import LIMIT_CHARACTERS, format_markdown
from trainshed.report.plan.text import format_text

GPU = "nvidia.com/gpu"
HOSTILE = "a`|<script>alert(1)</script>@everyone\x1b[31m\u202e[x](http://evil)"


def level(team: str, queue: str, before: int, after: int, nominal: int = 16, ceiling: int = 24) -> Level:
    return Level(
        team=team,
        place=Place("lab", queue, "h100", GPU),
        ledger="kueue",
        cohort="all",
        accelerator="h100",
        before=Amount(Fraction(before), Fraction(before)),
        after=Amount(Fraction(after), Fraction(after)),
        nominal=(Fraction(nominal), Fraction(nominal)),
        ceiling=(Fraction(ceiling), Fraction(ceiling)),
        hours=(Hours(Fraction(before)), Hours(Fraction(after), 1)),
    )


def starting(name: str, team: str, gpus: int = 8) -> RunTurn:
    share = Share(Place("lab", team, "h100", GPU), Fraction(gpus), Fraction(gpus), Fraction(gpus))
    ask = Ask(
        cluster="lab",
        team=team,
        job=name,
        path=PurePosixPath("rendered/lab/job/run.yaml"),
        identity=ObjectId("batch/v1", "Job", "team", name),
        ledger="kueue",
        queue=team,
        shares=(share,),
        seconds=3600,
        verdict=Verdict.FITS,
    )
    return RunTurn(
        Turn.STARTS, None, ask, Outlook(Prognosis.FITS, f"fits {name}"), Hours(Fraction(gpus)), None
    )


def prospect(*levels: Level, turns: tuple[RunTurn, ...] = ()) -> Prospect:
    return Prospect("origin/main", levels, turns, {})


HOSTILE_PROSPECT = prospect(level(HOSTILE, HOSTILE, 0, 8), turns=(starting(HOSTILE, HOSTILE),))


def test_a_page_shows_hostile_names_and_runs_none_of_them() -> None:
    page = format_html(HOSTILE_PROSPECT)
    assert "<script" not in page and "&lt;script&gt;" in page
    assert "\x1b" not in page and "\u202e" not in page
    assert "default-src 'none'" in page


def test_a_page_loads_nothing() -> None:
    page = format_html(prospect(level("vision", "vision", 8, 24)))
    assert not re.search(r"(?:src|href)=|url\(|@import|http:", page)


def test_a_comment_has_no_markup_mention_or_link_but_ours() -> None:
    text = format_markdown(HOSTILE_PROSPECT)
    assert "<script" not in text and "@everyone" not in text
    assert not re.search(r"(?<!\\)\]\(|http://e", text)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    widths = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
    assert widths == {7, 9}  # six columns of runs, eight of levels, whatever stands in a name


def test_a_terminal_is_not_driven_by_names() -> None:
    text = format_text(HOSTILE_PROSPECT, color=False, columns=140)
    assert "\x1b" not in text and "\u202e" not in text


def test_a_document_is_plain_ascii() -> None:
    text = format_json(HOSTILE_PROSPECT)
    assert text.isascii() and json.loads(text)["runs"][0]["name"] == HOSTILE


def test_a_bar_has_its_own_part_the_borrowed_one_and_the_one_that_nobody_has() -> None:
    page = format_html(prospect(level("vision", "vision", 8, 32)))  # own 16, at most 24, asked 32
    parts = dict(re.findall(r'<i class="(\w+)(?: first)?" style="left:([^"]*)"', page))
    assert parts["own"] == "0.00%;width:50.00%"
    assert parts["lent"] == "50.00%;width:25.00%"
    assert parts["beyond"] == "75.00%;width:25.00%"
    assert parts["before"] == "0.00%;width:25.00%"
    assert 'aria-label="32 GPUs asked for, at most 24"' in page


def test_a_bar_of_nothing_has_no_parts() -> None:
    quiet = prospect(level("vision", "vision", 0, 0, nominal=0, ceiling=0))
    assert '<div class="gauge"></div>' in format_html(quiet)


@pytest.mark.parametrize("columns", [20, 80, 200])
def test_text_keeps_to_the_width_of_the_terminal(columns: int) -> None:
    text = format_text(prospect(level("vision", "vision", 8, 24)), color=False, columns=columns)
    assert max(map(len, text.splitlines())) <= max(columns, 60)
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_queues_that_stay_as_they_are_are_counted() -> None:
    changed, same = level("vision", "vision", 8, 24), level("nlp", "nlp", 8, 8)
    same = Level(**{**{name: getattr(same, name) for name in same.__slots__}, "hours": (Hours(), Hours())})
    text = format_text(prospect(changed, same), color=False, columns=140)
    assert "as before: 1 queue of 1 team" in text and "nlp on lab" not in text
    assert "nlp on lab" in format_text(
        prospect(same), color=False, columns=140
    )  # where nothing changes, all are shown


def test_a_comment_never_exceeds_what_github_takes() -> None:
    many = [level(f"team-{at}", f"queue-{at}", 0, 8) for at in range(1000)]
    text = format_markdown(prospect(*many))
    assert len(text) <= LIMIT_CHARACTERS
    assert text.endswith("_Cut here: the rest does not fit a comment._\n")


def test_the_headline_says_less_where_less_is_asked_for() -> None:
    text = format_text(prospect(level("vision", "vision", 24, 8)), color=False, columns=140)
    assert text.startswith("16 GPUs less  since origin/main")
