"""What runs inside a training image: checkpoints that survive, signals, resume.

    from trainshed_runtime import Run, init_process_group

Names are imported when they are asked for, so that a program without PyTorch can use what needs none.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "Checkpointer": "checkpointer",
    "Contract": "contract",
    "ElasticSampler": "sampler",
    "LEFT": "stop",
    "NetworkError": "network",
    "Position": "checkpoints",
    "RandomState": "random_state",
    "Run": "run",
    "Superseded": "fence",
    "init_process_group": "network",
}

__all__ = list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll] - the table is the list


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
