"""The picture: a row a pod, time from left to right. Plain SVG, drawn once, styled by the page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trainshed.model.verdict import Rehearsal
from trainshed.report.page import show
from trainshed.report.rehearsal.lifelines import Life, Lifeline, Mark, Sign, trace_lifelines
from trainshed.report.rehearsal.phrases import say_seconds

WIDTH = 1080
LABEL = 128
RIGHT = 26
TOP = 30
TALLEST, SMALLEST = 46, 15
ROOM = 640
"""The height that rows share: few pods get tall ones, many get small ones, and then the picture grows."""

TICKS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 3600)


@dataclass(frozen=True, slots=True)
class Frame:
    """From seconds to places, and how tall a row is."""

    seconds: float
    rows: int
    most_steps: int

    @property
    def row(self) -> float:
        """The height of a row."""
        return min(TALLEST, max(SMALLEST, ROOM / max(1, self.rows)))

    @property
    def bar(self) -> float:
        """The height of the bar in it."""
        return self.row * 0.66

    @property
    def height(self) -> float:
        """All of it."""
        return TOP + self.row * self.rows + 12

    def x(self, at: float) -> float:
        """Where a second stands."""
        return LABEL + (WIDTH - LABEL - RIGHT) * min(at, self.seconds) / self.seconds

    def y(self, place: int) -> float:
        """The top of a row's bar."""
        return TOP + place * self.row + (self.row - self.bar) / 2


def draw_timeline(rehearsal: Rehearsal) -> str:
    """The whole picture as markup."""
    lines = trace_lifelines(rehearsal)
    seconds = max([rehearsal.verdict.seconds, *(event.at for event in rehearsal.events)], default=1.0)
    frame = Frame(max(seconds, 0.1), len(lines), max(1, rehearsal.verdict.steps))
    parts = [
        *_axis(frame),
        *(part for place, line in enumerate(lines) for part in _row(frame, place, line)),
        *(part for place, line in enumerate(lines) for part in _signs(frame, place, line.signs)),
    ]
    label = show(f"{len(lines)} pods over {say_seconds(seconds)}")
    return (
        f'<svg class="timeline" viewBox="0 0 {WIDTH} {frame.height:.0f}" role="img" aria-label="{label}">\n'
        + "\n".join(parts)
        + "\n</svg>"
    )


def _axis(frame: Frame) -> Iterator[str]:
    step = next((tick for tick in TICKS if frame.seconds / tick <= 12), TICKS[-1])
    for number in range(int(frame.seconds / step) + 1):
        x = frame.x(number * step)
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 4}" y2="{frame.height - 8:.1f}"/>'
        yield f'<text class="tick" x="{x:.1f}" y="{TOP - 12}">{_clock(number * step)}</text>'


def _clock(seconds: int) -> str:
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60}:{seconds % 60:02}"


def _row(frame: Frame, place: int, line: Lifeline) -> Iterator[str]:
    middle = frame.y(place) + frame.bar / 2
    size = min(13.0, frame.row * 0.8)
    yield f'<text class="pod" x="{LABEL - 12}" y="{middle:.1f}" font-size="{size:.1f}">{show(_short(line.pod))}</text>'
    for life in line.lives:
        yield _bar(frame, place, life)
    for life in line.lives:
        points = [(at, step) for at, step in line.steps if life.start <= at <= life.end + 0.2]
        if len(points) > 1:
            yield _hill(frame, place, points)


def _bar(frame: Frame, place: int, life: Life) -> str:
    start, end = frame.x(life.start), frame.x(life.end)
    return (
        f'<rect class="life {life.how or "open"}" x="{start:.1f}" y="{frame.y(place):.1f}"'
        f' width="{max(2.0, end - start):.1f}" height="{frame.bar:.1f}" rx="3">'
        f"<title>{say_seconds(life.end - life.start)}, {life.how or 'until the end'}</title></rect>"
    )


def _hill(frame: Frame, place: int, points: Sequence[tuple[float, int]]) -> str:
    """Steps as a slope in the bar, as high as what is done of all steps; it falls where training resumed."""
    bottom = frame.y(place) + frame.bar

    def corner(at: float, step: int) -> str:
        return f"{frame.x(at):.1f},{bottom - frame.bar * min(1.0, step / frame.most_steps):.1f}"

    held = [
        corner(*point)
        for before, (at, step) in zip([points[0], *points], points, strict=False)
        for point in ([(at, before[1])] if step < before[1] else []) + [(at, step)]
    ]
    inner = " ".join(held)
    first, last = frame.x(points[0][0]), frame.x(points[-1][0])
    return f'<polygon class="hill" points="{first:.1f},{bottom:.1f} {inner} {last:.1f},{bottom:.1f}"/>'


def _signs(frame: Frame, place: int, signs: Sequence[Sign]) -> Iterator[str]:
    ordered = sorted(signs, key=lambda sign: sign.mark is Mark.FAULT)
    for sign in ordered:
        x, top = frame.x(sign.at), frame.y(place)
        shape = _SHAPES[sign.mark](x, top, frame.bar, sign)
        words = show(f"{say_seconds(sign.at)}: {sign.words}")
        yield f'<g class="{sign.mark}"><title>{words}</title>{shape}</g>'


def _saved(x: float, top: float, height: float, _: Sign) -> str:
    return f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{top + height:.1f}"/>'


def _resumed(x: float, top: float, height: float, _: Sign) -> str:
    half = min(6.0, height / 2.4)
    middle = top + height / 2
    return f'<path d="M{x:.1f} {middle - half:.1f} l{half * 1.5:.1f} {half:.1f} l{-half * 1.5:.1f} {half:.1f} z"/>'


def _fault(x: float, top: float, height: float, sign: Sign) -> str:
    radius = min(8.5, max(7.0, height * 0.36))
    middle = top + height / 2
    number = f'<text x="{x:.1f}" y="{middle:.1f}" font-size="{radius * 1.35:.1f}">{sign.number}</text>'
    line = f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top - 2:.1f}" y2="{top + height + 2:.1f}"/>'
    return f'{line}<circle cx="{x:.1f}" cy="{middle:.1f}" r="{radius:.1f}"/>{number}'


def _told(x: float, top: float, height: float, _: Sign) -> str:
    return f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top - 1:.1f}" y2="{top + height + 1:.1f}"/>'


def _end(x: float, top: float, height: float, sign: Sign) -> str:
    half = min(5.0, height / 3)
    middle = top + height / 2
    if sign.mark is Mark.SUCCEEDED:
        return f'<circle cx="{x:.1f}" cy="{middle:.1f}" r="{half:.1f}"/>'
    return (
        f'<rect x="{x - half:.1f}" y="{middle - half:.1f}" width="{2 * half:.1f}" height="{2 * half:.1f}"/>'
    )


_SHAPES = {
    Mark.SAVED: _saved,
    Mark.RESUMED: _resumed,
    Mark.FAULT: _fault,
    Mark.TOLD: _told,
    Mark.SUCCEEDED: _end,
    Mark.FAILED: _end,
    Mark.DELETED: _end,
}

LEGEND = (
    (Mark.SAVED, "checkpoint saved"),
    (Mark.RESUMED, "resumed from a checkpoint"),
    (Mark.FAULT, "fault, as numbered below"),
    (Mark.TOLD, "told to stop"),
    (Mark.SUCCEEDED, "left with success"),
    (Mark.FAILED, "failed"),
    (Mark.DELETED, "was deleted"),
)


LIVES = (("open", "a life, and its steps"), ("restarted", "one that was started again in place"))


def draw_legend() -> str:
    """What the bars and the signs mean."""
    bars = [_sample(_BAR.format(how=how), words) for how, words in LIVES]
    signs = [
        _sample(f'<g class="{mark}">{_SHAPES[mark](9.0, 2.0, 14.0, Sign(mark, 0, "", 1))}</g>', words)
        for mark, words in LEGEND
    ]
    return f'<div class="legend">{"".join([*bars, *signs])}</div>'


_BAR = (
    '<rect class="life {how}" x="0" y="3" width="18" height="12" rx="3"/>'
    '<polygon class="hill" points="0,15 18,5 18,15"/>'
)


def _sample(shape: str, words: str) -> str:
    svg = f'<svg viewBox="0 0 18 18" width="18" height="18" class="timeline">{shape}</svg>'
    return f"<span>{svg}{show(words)}</span>"


def _short(name: str) -> str:
    return name if len(name) <= 18 else f"{name[:9]}…{name[-8:]}"
