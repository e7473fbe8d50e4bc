"""What a command may look up of the commands before it, and what it leaves to those after it."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path

from trainshed.cache.file_hashes import FileHashes
from trainshed.cache.fingerprint import READ, Fingerprint, take_fingerprint
from trainshed.cache.store import Store, open_store
from trainshed.cache.verdicts import Verdict, read_verdict, write_verdict
from trainshed.model.diagnostic import has_errors
from trainshed.model.naming import GENERATED
from trainshed.model.remember import Remember, make_anew
from trainshed.model.snapshot import Snapshot


class Notebook:
    """Verdicts, and values of stages, for a command in some words upon things as they are."""

    def __init__(
        self, store: Store, words: Iterable[str], hashes: FileHashes, before: Fingerprint | None
    ) -> None:
        self._store = store
        self._hashes = hashes
        self._before = before
        self._words = tuple(words)
        self._verdict: Verdict | None = None

    @property
    def remember(self) -> Remember:
        """Whoever knows the values that stages made before."""
        from trainshed.cache.memory import Memory  # takes long to import, and a known verdict needs none

        return Memory(self._store, self._before.tools) if self._before else make_anew

    @property
    def seen(self) -> Snapshot | None:
        """The generated folders as they were when the notebook was opened; None where that is not known."""
        return self._before.seen if self._before and self._before.files is not None else None

    def recall(self) -> Verdict | None:
        """The verdict about exactly this."""
        if self._before is None or self._before.files is None:
            return None
        kept = self._store.read(self._before.hash_question(self._words))
        return None if kept is None else read_verdict(kept)

    def keep(self, verdict: Verdict) -> None:
        """Keep a verdict without errors when the notebook is closed; errors are found anew each time."""
        if not has_errors(verdict.findings):
            self._verdict = verdict

    def close(self, root: Path) -> None:
        """Keep what still holds: who knows what was read of things that have changed since the notebook was opened.

        Generated files are not looked at again: whoever was asked about them was given what the notebook had seen.
        """
        if self._before is None or (self._verdict is None and not self._store.has_news):
            return
        now = take_fingerprint(root, self._hashes, [name for name in READ if name not in GENERATED])
        if now is None or now.tools != self._before.tools:
            self._store.forget()
        elif self._verdict is not None and _is_within(now.files, self._before.files):
            self._store.write(self._before.hash_question(self._words), write_verdict(self._verdict))


def _is_within(some: Mapping[str, str] | None, known: Mapping[str, str] | None) -> bool:
    return some is not None and known is not None and some.items() <= known.items()


@contextmanager
def open_notebook(root: Path, words: Iterable[str], environment: Mapping[str, str]) -> Generator[Notebook]:
    """A notebook of the user, for a command in these words about `root`; an empty one where nothing can be kept."""
    with open_store(root, environment) as store:
        hashes = FileHashes()
        before = take_fingerprint(root, hashes) if store.is_open else None
        notebook = Notebook(store, words, hashes, before)
        yield notebook
        notebook.close(root)
