"""What becomes of a run in its queue, in a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from trainshed.model.amounts import say_amount, say_number
from trainshed.model.asks import (
    Ask,
    Outlook,
    Place,
    Prognosis,
    Quota,
    Share,
    Short,
    Side,
    Verdict,
)
from trainshed.model.gpus import is_gpu
from trainshed.model.manifest import ObjectId

GIST_LENGTH = 160

ZERO = Fraction(0)

OWN = {"kueue": "fits the queue's own quota", "volcano": "fits what the queue deserves"}
"""What is said of a run that takes nothing that others could want back."""


@dataclass(frozen=True, slots=True)
class Outlooks:
    """What each run takes beyond what its queue calls its own; what is held at each place in the end.

    `before` is what the runs before one hold of what it lacks, in its queue.
    """

    quotas: Mapping[Place, Quota]
    borrowed: Mapping[tuple[str, ObjectId], tuple[tuple[Share, Fraction], ...]]
    held: Mapping[Place, Fraction]
    before: Mapping[tuple[str, ObjectId], Fraction]

    @classmethod
    def of(cls, side: Side) -> "Outlooks":
        """Run by run, in the order in which they stand in line."""
        quotas = {quota.place: quota for quota in side.quotas}
        held: dict[Place, Fraction] = {}
        before: dict[tuple[str, ObjectId], Fraction] = {}
        borrowed: dict[tuple[str, ObjectId], tuple[tuple[Share, Fraction], ...]] = {}
        for ask in side.asks:
            if ask.short is not None:
                before[ask.key] = held.get(ask.short.place, ZERO)
            if ask.verdict in (Verdict.WAITS, Verdict.NEVER):
                continue
            beyond: list[tuple[Share, Fraction]] = []
            for share in ask.shares:
                quota, already = quotas.get(share.place), held.get(share.place, ZERO)
                held[share.place] = already + share.asked
                if quota is not None and quota.nominal is not None:
                    over = held[share.place] - max(quota.nominal, already)
                    beyond += [(share, over)] if over > 0 else []
            borrowed[ask.key] = tuple(sorted(beyond, key=lambda item: not _is_gpu(item[0])))
        return cls(quotas, borrowed, held, before)

    def say(self, ask: Ask) -> Outlook:
        """What becomes of a run."""
        if ask.verdict is Verdict.NEVER:
            return Outlook(Prognosis.NEVER, self._never(ask))
        if ask.verdict is Verdict.WAITS:
            return Outlook(Prognosis.WAITS, self._waits(ask))
        if ask.verdict is Verdict.REDUCED:
            return Outlook(Prognosis.REDUCED, "starts with fewer pods than it asks for, as many as fit")
        if self.borrowed.get(ask.key):
            return Outlook(Prognosis.BORROWS, self._borrows(ask))
        return self._fits_pool(ask) if ask.ledger == "pool" else Outlook(Prognosis.FITS, OWN[ask.ledger])

    def _never(self, ask: Ask) -> str:
        short = ask.short
        starts = "never starts" if ask.ledger == "pool" else "never admitted"
        if short is None:
            return f"{starts}: {_gist(ask.reason)}"
        if ask.ledger == "kueue" and not short.place.flavor:
            return f"{starts}: queue {ask.queue} gives no {short.place.resource}"
        asked = say_amount(short.place.resource, short.asked)
        most = say_number(short.place.resource, short.free)
        return f"{starts}: {asked} asked for, and {_name(ask, short)} can never give more than {most}"

    def _waits(self, ask: Ask) -> str:
        short = ask.short
        if short is None:
            return f"waits: {_gist(ask.reason)}"
        resource = short.place.resource
        free = say_number(resource, short.free)
        words = f"waits: {say_amount(resource, short.asked)} asked for, {free} free in {_name(ask, short)}"
        quota, held = self.quotas.get(short.place), self.before[ask.key]
        if quota is None or quota.ceiling is None:
            return words
        whose = "other runs" if ask.ledger == "pool" else "the team's other runs"
        words += f"; {whose} hold {say_number(resource, held)} of {say_number(resource, quota.ceiling)}"
        elsewhere = quota.ceiling - held - short.free
        return (
            f"{words}, others in cohort {quota.cohort} the rest" if quota.cohort and elsewhere > 0 else words
        )

    def _borrows(self, ask: Ask) -> str:
        (share, over), *_ = self.borrowed[ask.key]
        more = say_amount(share.place.resource, over)
        if ask.ledger == "volcano":
            return f"fits with {more} beyond what queue {ask.queue} deserves, which others may take back"
        return f"fits only by borrowing {more} of cohort {self.quotas[share.place].cohort}"

    def _fits_pool(self, ask: Ask) -> Outlook:
        main = max(ask.shares, key=_is_gpu, default=None)
        quota = self.quotas.get(main.place) if main else None
        if main is None or quota is None or quota.ceiling is None:
            return Outlook(Prognosis.UNKNOWN, "no pool is known to have the nodes that it asks for")
        left = max(quota.ceiling - self.held.get(main.place, ZERO), ZERO)
        whole = say_amount(main.place.resource, quota.ceiling)
        free = say_number(main.place.resource, left)
        return Outlook(Prognosis.FITS, f"fits pool {main.place.flavor}: {free} of its {whole} stay free")


def _is_gpu(share: Share) -> bool:
    return is_gpu(share.place.resource)


def _gist(reason: str) -> str:
    """A queue's own words, on one line."""
    words = " ".join(reason.split())
    return words if len(words) <= GIST_LENGTH else f"{words[:GIST_LENGTH].rstrip()}…"


def _name(ask: Ask, short: Short) -> str:
    if ask.ledger == "pool":
        return f"pool {short.place.flavor}"
    return f"queue {ask.queue}{f' in {short.place.flavor}' if short.place.flavor else ''}"
