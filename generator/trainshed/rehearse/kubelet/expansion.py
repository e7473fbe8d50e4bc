"""`$(VAR)` in commands, arguments and variables.

The rules are those of k8s.io/kubernetes/third_party/forked/golang/expansion: `$$` is a dollar sign, so `$$(VAR)` is
the text `$(VAR)`; a variable that is not known stays as it is written.
"""

import re
from collections.abc import Mapping

_REFERENCE = re.compile(r"\$(?:\$|\(([^)]*)\))", re.DOTALL)


def expand(text: str, variables: Mapping[str, str]) -> str:
    """The text with the values of known variables."""

    def replace(match: re.Match[str]) -> str:
        if match[1] is None:
            return "$"
        return variables.get(match[1], match[0])

    return _REFERENCE.sub(replace, text)
