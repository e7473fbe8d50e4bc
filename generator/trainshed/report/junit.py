"""Findings as a JUnit report, which GitLab shows as tests of a merge request."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from trainshed.model.diagnostic import Diagnostic, Findings, Severity, sort_findings
from trainshed.model.secrets import hide_secrets
from trainshed.report.glyphs import make_visible

_SUITE = "trainshed"


def format_junit(findings: Findings) -> str:
    """One suite: a test case for each finding, which fails if that is an error; one that passes for none.

    What XML 1.0 cannot hold is spelled out, as on a terminal.
    """
    ordered = sort_findings(findings)
    failures = sum(finding.severity is Severity.ERROR for finding in ordered)
    counts = {"tests": str(max(1, len(ordered))), "failures": str(failures), "errors": "0", "skipped": "0"}
    suites = Element("testsuites", counts)
    suite = SubElement(suites, "testsuite", {"name": _SUITE, **counts})
    for finding, name in zip(ordered, _names(ordered), strict=True):
        _add_case(suite, finding, name)
    if not ordered:
        SubElement(suite, "testcase", classname=_SUITE, name="nothing is wrong", time="0")
    indent(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _add_case(suite: Element, finding: Diagnostic, name: str) -> None:
    path = _show(str(finding.source.path))
    case = SubElement(suite, "testcase", classname=path, name=name, file=path, time="0")
    text = "\n".join(_describe(finding))
    if finding.severity is Severity.ERROR:
        failure = SubElement(case, "failure", type=finding.code.value, message=_show(finding.summary))
        failure.text = text
    else:
        SubElement(case, "system-out").text = text


def _describe(finding: Diagnostic) -> Iterator[str]:
    yield f"{_show(str(finding.source))}: {finding.severity}[{finding.code}]: {_show(finding.summary)}"
    yield from map(_show, finding.detail.splitlines())
    yield from (f"see {_show(str(related.source))}: {_show(related.text)}" for related in finding.related)


def _names(ordered: Findings) -> Iterator[str]:
    """Without a place where one file has a name once: a test of another name would count as a new one."""
    taken: set[tuple[str, str]] = set()
    for finding in ordered:
        source = finding.source
        name = f"{finding.code}: {_show(finding.summary)}"
        if (str(source.path), name) in taken:
            name = f"{name} ({source.line}:{source.column})"
        taken.add((str(source.path), name))
        yield name


def _show(text: str) -> str:
    return make_visible(hide_secrets(text))
