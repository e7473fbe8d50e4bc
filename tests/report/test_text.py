"""Findings as a person reads them, whole."""

from collections.abc import Callable
from pathlib import PurePosixPath

import pytest

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, Severity, error
from trainshed.model.source import Source
from trainshed.report.glyphs import count_columns, excerpt_word, make_visible
from trainshed.report.text import format_findings

PATH = PurePosixPath("specs/vision/train.yaml")


def reads(text: str | None) -> Callable[[PurePosixPath, int], str | None]:
    return lambda _path, _line: text


def say(line: str | None, column: int, width: int, number: int = 14) -> str:
    finding = error(Code.UNKNOWN_QUEUE, Source(PATH, number, column, width), "summary")
    return format_findings((finding,), reads(line), color=False)


def frame(*excerpt: str, number: int = 14, column: int = 1) -> str:
    head = f"specs/vision/train.yaml:{number}:{column}: error[unknown-queue]: summary"
    return "\n".join([head, *excerpt, "", "1 error", ""])


def test_findings_stand_in_order_with_line_word_advice_and_count() -> None:
    queue = error(
        Code.UNKNOWN_QUEUE,
        Source(PATH, 14, 10, 6),
        'queue "gpu-hi" is not defined',
        'did you mean "gpu-high"? queues are defined in specs/queues.yaml\nor ask the platform team',
        [Related(Source(PurePosixPath("specs/x.yaml"), 3, 1), "first defined here")],
    )
    tag = Diagnostic(
        code=Code.IMAGE_TAG,
        severity=Severity.WARNING,
        summary='image "a" has no tag',
        source=Source(PATH, 2, 1),
    )
    lines = {(PATH, 14): "  queue: gpu-hi\n", (PATH, 2): None}
    text = format_findings((queue, tag, queue), lambda path, line: lines[path, line], color=False)
    assert text == (
        'specs/vision/train.yaml:2:1: warning[image-tag]: image "a" has no tag\n'
        "\n"
        'specs/vision/train.yaml:14:10: error[unknown-queue]: queue "gpu-hi" is not defined\n'
        "   14 |   queue: gpu-hi\n"
        "      |          ^^^^^^\n"
        '   did you mean "gpu-high"? queues are defined in specs/queues.yaml\n'
        "   or ask the platform team\n"
        "   see specs/x.yaml:3:1: first defined here\n"
        "\n"
        "1 error, 1 warning\n"
    )


def test_no_findings_say_nothing() -> None:
    assert format_findings((), reads(None), color=False) == ""


def test_color_marks_place_severity_and_word() -> None:
    finding = error(Code.SYMLINK, Source(PATH, 1, 3, 2), "summary")
    assert format_findings((finding,), reads("a bc"), color=True) == (
        "\x1b[1mspecs/vision/train.yaml:1:3\x1b[0m: \x1b[31m\x1b[1merror[symlink]\x1b[0m: summary\n"
        "    1 | a bc\n"
        "      |   \x1b[31m\x1b[1m^^\x1b[0m\n"
        "\n"
        "1 error\n"
    )


def test_carets_stand_under_wide_and_combined_characters() -> None:
    assert say("名前: e\u0301x 値値 z", 9, 2) == frame(
        "   14 | 名前: e\u0301x 値値 z",
        "      |          ^^^^",
        column=9,
    )


def test_tabs_are_shown_and_keep_the_caret_under_the_word() -> None:
    assert say("\tqueue:\tgpu", 9, 3) == frame(
        "   14 | →   queue:→   gpu",
        "      |               ^^^",
        column=9,
    )


def test_control_characters_cannot_drive_the_terminal() -> None:
    line = "a\x1b[2Jb\x00\x7f\u202ec\u009b\ud800\u200b: x"
    assert say(line, len(line), 1) == frame(
        "   14 | a␛[2Jb␀<U+007F><U+202E>c<U+009B><U+D800><U+200B>: x",
        "      |                                                   ^",
        column=len(line),
    )


def test_control_characters_in_every_text_of_a_finding_are_shown() -> None:
    place = Source(PurePosixPath("specs/\x1bc.yaml"))
    finding = error(Code.SYMLINK, place, "sum\nmary\r", "detail\x1b", [Related(place, "rel\x07ated")])
    assert format_findings((finding,), reads("x\r\n"), color=False) == (
        "specs/␛c.yaml:1:1: error[symlink]: sum␊mary␍\n"
        "    1 | x\n"
        "      | ^\n"
        "   detail␛\n"
        "   see specs/␛c.yaml:1:1: rel␇ated\n"
        "\n"
        "1 error\n"
    )


def test_a_word_beyond_the_end_of_its_line_is_marked_right_after_it() -> None:
    assert say("queue:", 40, 5) == frame("   14 | queue:", "      |       ^", column=40)
    assert say("", 1, 1) == frame("   14 |", "      | ^")


def test_a_word_does_not_reach_beyond_its_line() -> None:
    assert say("queue", 3, 50) == frame("   14 | queue", "      |   ^^^", column=3)


def test_a_large_line_number_moves_the_bar() -> None:
    assert say("x", 1, 1, number=1234567) == frame("1234567 | x", "        | ^", number=1234567)


def test_a_long_line_is_cut_around_its_word() -> None:
    assert say("a" * 5000 + " word " + "b" * 5000, 5002, 4) == frame(
        "   14 | …" + "a" * 65 + " word " + "b" * 29 + "…",
        "      | " + " " * 67 + "^^^^",
        column=5002,
    )


def test_a_long_line_is_cut_behind_a_word_near_its_beginning() -> None:
    assert say("key: word " + "b" * 5000, 6, 4) == frame(
        "   14 | key: word " + "b" * 90 + "…",
        "      |      ^^^^",
        column=6,
    )


def test_a_word_longer_than_the_screen_is_cut() -> None:
    assert say("key: " + "w" * 300, 6, 300) == frame(
        "   14 | key: " + "w" * 95 + "…",
        "      |      " + "^" * 95,
        column=6,
    )


@pytest.mark.parametrize(
    "line", ["名" * 400, "\t" * 400, "\x1b\u202e" * 200, "e\u0301" * 200, "x" * 100, "x" * 101]
)
@pytest.mark.parametrize("column", [1, 50, 101, 200, 400])
def test_no_excerpt_is_wider_than_its_limit(line: str, column: int) -> None:
    excerpt = excerpt_word(line, column, 7)
    assert count_columns(excerpt.text) <= 102
    assert excerpt.offset + excerpt.width <= 102
    assert make_visible(excerpt.text) == excerpt.text
