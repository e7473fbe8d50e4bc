"""A plan as one page that needs nothing else: the runs that differ, and a bar for each flavor of each queue."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from trainshed.model.amounts import unit_of
from trainshed.model.asks import Level, Prognosis, Prospect, RunTurn, Turn
from trainshed.report.page import details, page, pill, section, show, tile
from trainshed.report.plan.gauge import draw_gauge, draw_legend
from trainshed.report.plan.phrases import (
    ASSUMPTION,
    OWN_WORDS,
    QueueLevels,
    count_rest,
    flavor_of,
    say_asks,
    say_change,
    say_hours_of_level,
    say_hours_of_run,
    say_limit,
    say_range,
    say_turn,
    split_groups,
    sum_changes,
    write_headline,
)

_STYLE = Path(__file__).with_name("html.css")

TONES = {
    Prognosis.FITS: "green",
    Prognosis.BORROWS: "amber",
    Prognosis.REDUCED: "amber",
    Prognosis.WAITS: "amber",
    Prognosis.NEVER: "red",
    Prognosis.UNKNOWN: "quiet",
    Prognosis.ENDS: "quiet",
}


def format_html(prospect: Prospect) -> str:
    """The page, whole: queues that stay as they are, are folded."""
    shown, rest = split_groups(prospect)
    folded = details(show(_capital(count_rest(rest))), "\n".join(_clusters(rest))) if rest else ""
    queues = "\n".join([draw_legend(), *_clusters(shown), folded]) if prospect.levels else ""
    headline = _capital(write_headline(prospect))
    return page(
        title=f"trainshed: {headline}",
        kicker=f"trainshed plan · since {prospect.base}",
        headline=headline,
        tiles=_tiles(prospect),
        body="\n".join(filter(None, (section("Runs", _runs(prospect)), section("Queues", queues)))),
        foot=ASSUMPTION,
        style=_STYLE.read_text("utf-8"),
    )


def _tiles(prospect: Prospect) -> str:
    """The numbers that a reviewer looks for first."""
    turns = Counter(turn.turn for turn in prospect.turns)
    outlooks = Counter(turn.outlook.prognosis for turn in prospect.turns)
    changes = sum_changes(prospect.levels)
    counts = [
        (int(abs(more)), f"{unit_of(resource)} {'more' if more > 0 else 'less'}", "blue")
        for resource, more in changes
    ]
    counts += [
        (turns[Turn.STARTS] + turns[Turn.RESTARTS], "runs start", "green"),
        (turns[Turn.ENDS] + turns[Turn.RESTARTS], "runs end", "quiet"),
        (outlooks[Prognosis.BORROWS], "fit by borrowing", "amber"),
        (outlooks[Prognosis.WAITS], "have to wait", "amber"),
        (outlooks[Prognosis.NEVER], "never admitted", "red"),
        (sum(turn.is_over_budget for turn in prospect.turns), "over budget", "red"),
    ]
    return "" if prospect.is_quiet else "".join(tile(*row) for row in counts)


def _runs(prospect: Prospect) -> str:
    if not prospect.turns:
        return ""
    names = ("", "run", "asks for", "GPU hours", "what becomes of it")
    head = "".join(f"<th>{name}</th>" for name in names)
    rows = "\n".join(map(_run, prospect.turns))
    return f'<table class="runs"><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>'


def _run(turn: RunTurn) -> str:
    ask, outlook = turn.ask, turn.outlook
    where = f"{ask.team or 'no team'} on {ask.cluster}, {say_turn(turn)}"
    cells = (
        f"<td>{pill(outlook.prognosis, TONES[outlook.prognosis])}</td>",
        f"<td><b>{show(ask.identity.name)}</b><small>{show(where)}</small></td>",
        f"<td>{show(say_asks(turn))}</td>",
        f'<td class="hours{" red" if turn.is_over_budget else ""}">{show(say_hours_of_run(turn))}</td>',
        f"<td>{show(_capital(outlook.sentence))}</td>",
    )
    return f"<tr>{''.join(cells)}</tr>"


def _clusters(groups: Iterable[QueueLevels]) -> Iterator[str]:
    for cluster, here in groupby(groups, key=lambda group: group.cluster):
        yield f'<h2 class="cluster">{show(cluster)}</h2>'
        for group in here:
            title = f"{show(group.team or 'no team')}<small>{show(group.title)}</small>"
            levels = "\n".join(map(_level, group.levels))
            yield f'<div class="card queue"><h3>{title}</h3>\n{levels}\n</div>'


def _level(level: Level) -> str:
    name = f"<div><b>{show(flavor_of(level))}</b><small>{show(unit_of(level.place.resource))}</small></div>"
    kind = "level" if level.is_changed else "level same"
    return f'<div class="{kind}">{name}{draw_gauge(level)}{_numbers(level)}</div>'


def _numbers(level: Level) -> str:
    resource, change = level.place.resource, say_change(level)
    after = f"<b>{show(say_range(resource, level.after))}</b>"
    if change:
        tone = "amber" if change.startswith("+") else "green"
        moved = f'<span class="moved {tone}">{show(change)}</span>'
        after = f'{show(say_range(resource, level.before))}<span class="arrow">→</span>{after}{moved}'
    own, most = say_limit(level, level.nominal), say_limit(level, level.ceiling)
    hours = say_hours_of_level(level)
    lines = [
        f"<small>{show(f'{OWN_WORDS[level.ledger]} {own}, at most {most}')}</small>",
        f"<small>{show(f'GPU hours {hours}')}</small>" if hours not in ("", "0") else "",
        '<small class="red">more than there ever is at once</small>' if level.is_over else "",
    ]
    return f"<div>{after}{''.join(lines)}</div>"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
