"""A bar of what is asked for, in markup: within the queue's own, beyond it, beyond all; and what was asked before."""

from fractions import Fraction

from trainshed.model.amounts import unit_of
from trainshed.model.asks import Level
from trainshed.report.page import show
from trainshed.report.plan.phrases import say_limit, say_range

LEGEND = (
    ("own", "within the queue's own"),
    ("lent", "beyond it: others may take it back"),
    ("beyond", "more than there ever is"),
    ("elastic", "if elastic runs grow"),
    ("before", "before"),
    ("nominal", "the queue's own"),
    ("ceiling", "the most it can hold"),
)

ZERO = Fraction(0)


def draw_gauge(level: Level) -> str:
    """As wide as the most that there is, or that is asked for."""
    nominal, ceiling = level.nominal[1], level.ceiling[1]
    least, most = level.after.least, level.after.most
    whole = max(ceiling or ZERO, most, level.before.most)
    if not whole:
        return '<div class="gauge"></div>'
    end = most if ceiling is None else ceiling
    own = end if nominal is None else min(nominal, end)
    parts = (
        _part("room", ZERO, end / whole),
        _part("before", ZERO, level.before.most / whole),
        _part("own", ZERO, min(most, own) / whole),
        _part("lent", own / whole, min(most, end) / whole),
        _part("beyond", end / whole, most / whole),
        _part("elastic", least / whole, most / whole),
        _mark("nominal", nominal / whole) if nominal is not None else "",
        _mark("ceiling", ceiling / whole) if ceiling is not None and ceiling != nominal else "",
    )
    asked, limit = say_range(level.place.resource, level.after), say_limit(level, level.ceiling)
    label = show(f"{asked} {unit_of(level.place.resource)} asked for, at most {limit}")
    return f'<div class="gauge" role="img" aria-label="{label}">{"".join(parts)}</div>'


def draw_legend() -> str:
    """What the parts of a bar mean."""
    items = (
        f'<span><span class="gauge"><i class="{name}"></i></span>{show(words)}</span>'
        for name, words in LEGEND
    )
    return f'<div class="legend">{"".join(items)}</div>'


def _part(name: str, start: Fraction, stop: Fraction) -> str:
    if stop <= start:
        return ""
    first = "" if start else " first"
    return f'<i class="{name}{first}" style="left:{_percent(start)};width:{_percent(stop - start)}"></i>'


def _mark(name: str, at: Fraction) -> str:
    return f'<i class="{name}" style="left:calc({_percent(at)} - 1px)"></i>'


def _percent(part: Fraction) -> str:
    return f"{float(part) * 100:.2f}%"
