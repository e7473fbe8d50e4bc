"""The word that was probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches

_MAX_LISTED = 12


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `word`, case, "-" and "_" aside; None if none is much like it."""
    spellings = {_fold(candidate): candidate for candidate in sorted(candidates, reverse=True)}
    matches = get_close_matches(_fold(word), spellings, n=1, cutoff=0.6)
    return spellings[matches[0]] if matches else None


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """A question with the nearest candidate; without one, a list of all if they are few; else nothing."""
    known = sorted(set(candidates))
    best = nearest(word, known)
    if best is not None:
        return f'did you mean "{best}"?'
    if 0 < len(known) <= _MAX_LISTED:
        return f"known here: {', '.join(known)}"
    return ""


def _fold(word: str) -> str:
    return word.casefold().replace("-", "").replace("_", "")
