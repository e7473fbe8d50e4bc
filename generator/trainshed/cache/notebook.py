"""What a command may look up of the commands before it, and what it leaves to those after it."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path

from trainshed.cache.file_hashes import FileHashes
from trainshed.cache.fingerprint import Fingerprint, take_fingerprint
from trainshed.cache.store import Store, open_store
from trainshed.cache.verdicts import Verdict, read_verdict, write_verdict
from trainshed.model.diagnostic import has_errors
from trainshed.model.remember import Remember, make_anew


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
        """Keep what still holds: who knows what was seen of things that have changed since the notebook was opened."""
        if self._before is None or (self._verdict is None and not self._store.has_news):
            return
        now = take_fingerprint(root, self._hashes)
        if now is None or now.tools != self._before.tools:
            self._store.forget()
        elif self._verdict is not None and now.files is not None and now == self._before:
            self._store.write(now.hash_question(self._words), write_verdict(self._verdict))


@contextmanager
def open_notebook(root: Path, words: Iterable[str], environment: Mapping[str, str]) -> Generator[Notebook]:
    """A notebook of the user, for a command in these words about `root`; an empty one where nothing can be kept."""
    with open_store(root, environment) as store:
        hashes = FileHashes()
        before = take_fingerprint(root, hashes) if store.is_open else None
        notebook = Notebook(store, words, hashes, before)
        yield notebook
        notebook.close(root)
