"""What a secret in clear looks like, so that it is found, and never repeated in what is printed."""

import re

HIDDEN = "(hidden)"

_NAMES = re.compile(
    r"(?i)(^|_)(token|secret|password|passwd|api_?key|access_?key|private_?key|credentials?)$"
)
_VALUES = re.compile(
    r"AKIA[0-9A-Z]{16}|ASIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22,}|glpat-[A-Za-z0-9_-]{20}"
    r"|hf_[A-Za-z0-9]{30,}|sk-[A-Za-z0-9_-]{32,}|xox[baprs]-[A-Za-z0-9-]{10,}|AIza[0-9A-Za-z_-]{35}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"
)
"""Forms of credentials that their issuers publish so that scanners can find them."""

_ASSIGNMENT = re.compile(
    r"\b[A-Z0-9_]*(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?)[\"']?\s*[:=]\s*[^\s{]"
)
"""A variable with the name of a secret, and a value behind it that is no reference."""


def names_secret(name: str) -> bool:
    """Whether a variable of this name holds a secret."""
    return _NAMES.search(name) is not None


def find_secret(text: str) -> tuple[int, int] | None:
    """Where the first thing begins and ends that only a credential looks like."""
    match = _VALUES.search(text)
    return match.span() if match else None


def hide_secrets(text: str) -> str:
    """The text without its credentials."""
    return _VALUES.sub(HIDDEN, text)


def may_show(line: str) -> bool:
    """Whether a line of a spec can be printed: it holds no credential, and no variable that should be one."""
    return find_secret(line) is None and _ASSIGNMENT.search(line) is None
