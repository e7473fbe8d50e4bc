"""What becomes of runs that Kueue does not queue: in a queue of Volcano, or on the nodes of a pool."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from trainshed.model.asks import Place, Quota, Share, Short, Verdict

NOTHING = Fraction(0)


@dataclass(slots=True)
class Rooms:
    """How much of each place is taken, while one run after the other comes in. A place without a quota has no end."""

    quotas: Mapping[Place, Quota]
    taken: dict[Place, Fraction] = field(default_factory=dict[Place, Fraction])

    def choose(self, options: Sequence[tuple[Share, ...]]) -> tuple[Share, ...]:
        """Of the pools that like pods could go to the first that has room for them now, or else the first."""
        roomy = (option for option in options if self._short(option) is None)
        return next(roomy, options[0])

    def take(self, shares: tuple[Share, ...]) -> tuple[Verdict, Short | None]:
        """What becomes of a run. It starts with the least that it can do with, and holds what it gets."""
        huge = next((share for share in shares if share.least > self._ceiling(share, share.least)), None)
        if huge is not None:
            return Verdict.NEVER, Short(huge.place, huge.least, self._ceiling(huge, NOTHING))
        short = self._short(shares)
        if short is not None:
            return Verdict.WAITS, short
        for share in shares:
            got = min(share.asked, self._free(share, share.asked))
            self.taken[share.place] = self.taken.get(share.place, NOTHING) + got
        return Verdict.FITS, None

    def _short(self, shares: tuple[Share, ...]) -> Short | None:
        short = (share for share in shares if share.least > self._free(share, share.least))
        return next((Short(one.place, one.least, self._free(one, NOTHING)) for one in short), None)

    def _free(self, share: Share, otherwise: Fraction) -> Fraction:
        """What is left; as much as is wanted where nobody says how much there is."""
        quota = self.quotas.get(share.place)
        if quota is None or quota.ceiling is None:
            return otherwise
        return max(quota.ceiling - self.taken.get(share.place, NOTHING), NOTHING)

    def _ceiling(self, share: Share, otherwise: Fraction) -> Fraction:
        quota = self.quotas.get(share.place)
        return otherwise if quota is None or quota.ceiling is None else quota.ceiling
