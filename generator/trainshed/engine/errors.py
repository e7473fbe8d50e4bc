"""What goes wrong with the engine itself. What a person wrote wrong comes back as values."""


class EngineError(Exception):
    """The engine is missing, dead, of another make, or was asked wrongly.

    A fault of the program, not of the input.
    """


class EngineFaultError(EngineError):
    """The engine's answer that it cannot answer. `kind` is a stable word, `message` is for a person."""

    def __init__(self, verb: str, kind: str, message: str) -> None:
        super().__init__(f"the engine cannot answer {verb}: {kind}: {message}")
        self.kind = kind
        self.message = message
