"""What a person sees of a rehearsal: the verdict in words, the picture, the live table."""

import io
import json
import re

import pytest
from msgspec.structs import replace

from trainshed.model.rehearsal import Event, Happening
from trainshed.model.verdict import Cost, EndState, Interval, PodLine, Rehearsal, Verdict
from trainshed.report.rehearsal.audience import Audience
from trainshed.report.rehearsal.board import Board
from trainshed.report.rehearsal.document import format_json
from trainshed.report.rehearsal.html import format_html
from trainshed.report.rehearsal.live import LiveTable
from trainshed.report.rehearsal.text import format_text

KILL = Cost("kill worker-0 at step 17", "worker-0", 17.2, before=17, resumed=10, seconds=3.4, age=6.0)
VERDICT = Verdict(
    succeeded=True,
    reason="PyTorchJobSucceeded",
    text="master-0 succeeded",
    seconds=70.4,
    steps=60,
    saves=6,
    costs=(KILL,),
    interval=Interval(steps=10),
    end_state=EndState.SAME,
    undisturbed_seconds=50.0,
)
EVENTS = (
    Event(1.0, Happening.STARTED, "master-0", "pytorch"),
    Event(1.1, Happening.STARTED, "worker-0", "pytorch"),
    *(Event(1.0 + step, Happening.STEP, "worker-0", rank=1, step=step) for step in range(1, 18)),
    Event(11.5, Happening.SAVED, "master-0", rank=0, step=10),
    Event(18.2, Happening.FAULT, "worker-0", text="kill worker-0 at step 17", detail={"deed": "kill"}),
    Event(19.0, Happening.RESTARTED, "worker-0", "pytorch"),
    Event(20.0, Happening.RESUMED, "worker-0", rank=1, step=10),
    Event(70.0, Happening.ENDED, "worker-0", text="succeeded", detail={"outcome": "succeeded"}),
    Event(70.2, Happening.ENDED, "master-0", text="deleted", detail={"outcome": "deleted"}),
)
PODS = (PodLine("master-0", "Master"), PodLine("worker-0", "Worker"))
RECORD = Rehearsal(
    "kubeflow.org/PyTorchJob",
    "team",
    "resnet-1a2b3c4d",
    "lab",
    PODS,
    ("31 workers become 1",),
    EVENTS,
    VERDICT,
)


def with_verdict(**changes: object) -> Rehearsal:
    return replace(RECORD, verdict=replace(VERDICT, **changes))  # type: ignore[arg-type]


def test_the_verdict_says_what_each_fault_cost() -> None:
    assert format_text(RECORD, color=False) == (
        "resnet-1a2b3c4d ended well: 1 fault, 7 steps lost, and the end state is the same\n"
        "  rehearsed    kubeflow.org/PyTorchJob team/resnet-1a2b3c4d on lab, 2 pods\n"
        "  end          succeeded after 70 s: PyTorchJobSucceeded, master-0 succeeded\n"
        "  training     60 steps, 6 checkpoints saved\n"
        "  fault        kill worker-0 at step 17: 7 steps lost (17 to 10); training again after 3.4 s\n"
        "  end state    the same as undisturbed\n"
        "  undisturbed  took 50 s\n"
    )


@pytest.mark.parametrize(
    ("record", "headline"),
    [
        (
            with_verdict(succeeded=False, reason="BackoffLimitExceeded"),
            "did not end well: BackoffLimitExceeded",
        ),
        (
            with_verdict(interval=Interval(steps=5)),
            "ended, but 1 fault cost more than a checkpoint interval (5 steps)",
        ),
        (
            with_verdict(end_state=EndState.DIFFERENT, differences=("models/m.pt: differs",)),
            "ended, but 1 file differs from an undisturbed run",
        ),
        (with_verdict(costs=(), end_state=EndState.NOT_COMPARED), "ended well"),
    ],
)
def test_the_headline_is_the_worst_that_can_be_said(record: Rehearsal, headline: str) -> None:
    assert format_text(record, color=False).splitlines()[0] == f"resnet-1a2b3c4d {headline}"


def test_a_fault_that_never_came_is_said() -> None:
    words = format_text(with_verdict(pending=("kill worker-0 at step 99",)), color=False)
    assert "fault        kill worker-0 at step 99: never came" in words


def test_the_picture_has_a_row_a_pod_and_numbers_the_faults() -> None:
    page = format_html(RECORD)
    assert re.findall(r'<text class="pod"[^>]*>([^<]+)<', page) == ["master-0", "worker-0"]
    assert re.findall(r'<rect class="life (\w+)"', page)[:3] == ["deleted", "restarted", "succeeded"]
    assert '<td class="number">1</td><td>kill worker-0 at step 17</td>' in page
    assert "resumed at step 10" in page
    assert page.count("saved step 10") == 1
    assert "31 workers become 1" in page


def test_the_last_words_of_a_container_stand_on_the_page() -> None:
    failed = replace(
        with_verdict(succeeded=False), last_words=("worker-0, pytorch: exit code 1", "a <b>", "c")
    )
    assert "<b>worker-0, pytorch: exit code 1</b><pre>a &lt;b&gt;\nc</pre>" in format_html(failed)


def test_names_of_others_are_only_words_on_the_page() -> None:
    hostile = replace(RECORD, name="<script>x</script>", notes=('"><img src=x onerror=y>',))
    page = format_html(hostile)
    assert "<script" not in page and "<img" not in page


def test_the_record_has_every_event_and_the_verdict() -> None:
    record = json.loads(format_json(RECORD))
    assert len(record["events"]) == len(EVENTS)
    assert record["verdict"]["isWell"] is True
    assert record["verdict"]["faults"][0]["stepsLost"] == 7


def test_the_table_shows_where_each_pod_is() -> None:
    board = Board.of(PODS)
    for event in EVENTS[:-3]:
        board.hear(event)
    assert (board.rows["worker-0"].step, board.rows["worker-0"].state) == (17, "running")
    assert (board.rows["master-0"].saved, board.rows["worker-0"].restarts) == (10, 1)
    assert [event.text for event in board.words if event.text] == ["kill worker-0 at step 17"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_the_table_is_drawn_and_taken_away() -> None:
    stream = Terminal()
    with LiveTable(stream, "resnet", PODS) as hear:
        for event in EVENTS:
            hear(event)
    assert "worker-0" in stream.getvalue()


def test_in_a_pipe_only_what_differs_is_said_and_once() -> None:
    stream = io.StringIO()
    audience = Audience(stream, {}, "resnet", PODS)
    note = Event(0.0, Happening.NOTE, text="no GPU here")
    for _ in range(2):
        with audience.watch("with faults") as hear:
            for event in (note, *EVENTS):
                hear(event)
    assert stream.getvalue() == "note: no GPU here\n"
