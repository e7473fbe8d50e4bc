"""What a command found, kept for the next command that is asked about exactly the same."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from trainshed.cache.fingerprint import hash_input
from trainshed.cache.store import open_store
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Findings, Related, Severity, has_errors
from trainshed.model.source import Source


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found, and how many files the specs make, where they make any."""

    findings: Findings
    num_files: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """What a command is asked: about `root`, in some words. `hash` stands for all that the verdict depends on.

    Without one the question is new each time.
    """

    root: Path
    words: tuple[str, ...]
    hash: str | None

    @classmethod
    def about(cls, root: Path, words: Iterable[str], base: str | None) -> "Question":
        """Asked before anything else is read. What Git holds is not hashed: with a `base`, every question is new."""
        asked = tuple(words)
        return cls(root, asked, hash_input(root, asked) if base is None else None)

    def recall(self) -> Verdict | None:
        """The verdict of before."""
        if self.hash is None:
            return None
        with open_store(self.root, os.environ) as store:
            kept = store.read(self.hash)
        return None if kept is None else _read(kept)

    def keep(self, verdict: Verdict) -> None:
        """Keep a verdict without errors, unless anything has changed since the question was asked."""
        if self.hash is None or has_errors(verdict.findings):
            return
        if hash_input(self.root, self.words) == self.hash:
            with open_store(self.root, os.environ) as store:
                store.write(self.hash, _write(verdict))


def _write(verdict: Verdict) -> Any:
    return [verdict.num_files, [_write_finding(finding) for finding in verdict.findings]]


def _read(kept: Any) -> Verdict:
    num_files, findings = kept
    return Verdict(tuple(map(_read_finding, findings)), num_files)


def _write_finding(finding: Diagnostic) -> Any:
    related = [[_write_source(one.source), one.text] for one in finding.related]
    words = [finding.code, finding.severity, finding.summary, finding.detail]
    return [*words, _write_source(finding.source), related]


def _read_finding(kept: Any) -> Diagnostic:
    code, severity, summary, detail, source, related = kept
    return Diagnostic(
        code=Code(code),
        severity=Severity(severity),
        summary=summary,
        detail=detail,
        source=_read_source(source),
        related=tuple(Related(_read_source(place), text) for place, text in related),
    )


def _write_source(source: Source) -> Any:
    return [str(source.path), source.line, source.column, source.width]


def _read_source(kept: Any) -> Source:
    path, *place = kept
    return Source(PurePosixPath(path), *place)
