"""A run's line of life as markup: what was left of the merge, what is right of it, and what leads across."""

from trainshed.model.review import RunChange, RunVerb
from trainshed.report.page import show


def draw_life(run: RunChange) -> str:
    """Bars on either side of the merge; nothing for a change that moves no run."""
    bars = [*_old(run), *_new(run)]
    if not bars:
        return ""
    marks = '<span class="when before">before the merge</span><span class="when after">after</span>'
    return f'<div class="life"><span class="merge"></span>{"".join(bars)}{marks}</div>'


def _old(run: RunChange) -> list[str]:
    if run.keeps and not run.ends:
        return [f'<span class="bar through quiet">{show(", ".join(run.keeps))}, goes on</span>']
    if not run.ends:
        return []
    after = {RunVerb.ENDS: "ends", RunVerb.STOPS: "stopped", RunVerb.ARCHIVED: "archived"}.get(run.verb, "")
    note = f'<span class="bar after">{after}</span>' if after else ""
    return [f'<span class="bar old red">{show(run.ends)}</span>{note}']


def _new(run: RunChange) -> list[str]:
    if not run.starts:
        return []
    resumes = '<span class="resume">its last checkpoint ⇢</span>' if run.resumes else ""
    return [f'{resumes}<span class="bar new green">{show(run.starts)}</span>']
