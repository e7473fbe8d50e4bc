"""How the tests of this folder spell findings."""

from collections.abc import Callable

import pytest

from trainshed.model.diagnostic import Diagnostic, Findings


@pytest.fixture(scope="session")
def spell() -> Callable[[Findings], list[str]]:
    """Findings as `line:column+width code: summary`."""
    return lambda findings: [_spell(finding) for finding in findings]


def _spell(finding: Diagnostic) -> str:
    source = finding.source
    return f"{source.line}:{source.column}+{source.width} {finding.code}: {finding.summary}"
