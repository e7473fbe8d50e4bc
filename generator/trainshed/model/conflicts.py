"""What Git leaves in a file in which two branches met."""

_MARKER = b"<<<<<<< "


def find_conflict(content: bytes) -> int:
    """The line of the first conflict marker, counted from 1; 0 where there is none."""
    at = 0 if content.startswith(_MARKER) else content.find(b"\n" + _MARKER) + 1
    return content.count(b"\n", 0, at) + 1 if content.startswith(_MARKER, at) else 0
