"""Findings that every format has to write."""

from pathlib import PurePosixPath

from hypothesis import strategies as st

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, Severity, error
from trainshed.model.source import Source

PATH = PurePosixPath("specs/jobs/a.yaml")
TOKEN = "hf_" + "x" * 34
QUEUE = error(
    Code.UNKNOWN_QUEUE,
    Source(PATH, 14, 10, 6),
    'queue "gpu-hi" is not defined',
    'did you mean "gpu-high"?\nqueues are those of the team',
    [Related(Source(PurePosixPath("specs/teams/b.yaml"), 3, 1, 4), "the team is defined here")],
)
TAG = Diagnostic(
    code=Code.IMAGE_TAG,
    severity=Severity.WARNING,
    summary="the image has no tag",
    source=Source(PATH, 2, 8, 5),
)
RELEASE = Diagnostic(
    code=Code.RELEASE_DIFFERS,
    severity=Severity.NOTE,
    summary="the cluster runs another release",
    source=Source(PurePosixPath("specs/clusters/c.yaml"), 7),
)
LEAK = error(
    Code.PLAIN_SECRET, Source(PATH, 5), f"{TOKEN} is a secret", f"not {TOKEN}", [Related(Source(PATH), TOKEN)]
)

TEXTS = st.text(st.characters(codec=None), max_size=20)
ANY_FINDING = st.builds(
    lambda severity, path, line, column, width, summary, detail: Diagnostic(
        code=Code.UNKNOWN_FIELD,
        severity=severity,
        source=Source(PurePosixPath(path), line, column, width),
        summary=summary,
        detail=detail,
        related=(Related(Source(PurePosixPath(path)), detail),),
    ),
    st.sampled_from(Severity),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20) | st.just("caf\udce9.yaml"),
    st.integers(1, 999),
    st.integers(1, 999),
    st.integers(1, 99),
    TEXTS,
    TEXTS,
)
"""A finding with whatever a hostile file can put into it."""
