"""Words that people write for a framework, and what they mean here."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from trainshed.model.codes import Code
from trainshed.model.spec.scalars import refuse

_PYTORCH = "write framework: pytorch"
MEANT: Mapping[str, str] = MappingProxyType(
    {
        "torch": _PYTORCH,
        "lightning": _PYTORCH,
        "pytorch-lightning": _PYTORCH,
        "fsdp": _PYTORCH,
        "huggingface": _PYTORCH,
        "transformers": _PYTORCH,
        "deepspeed": f"{_PYTORCH} and launcher: deepspeed",
        "accelerate": f"{_PYTORCH} and launcher: accelerate",
        "torchrun": f"{_PYTORCH}; torchrun starts its scripts",
        "tf": "write framework: tensorflow",
        "keras": "write framework: tensorflow, or the framework that Keras runs on",
        "horovod-torch": "write framework: horovod",
        "horovod-tensorflow": "write framework: horovod",
        "openmpi": "write framework: mpi",
        "mpirun": "write framework: mpi",
        "flax": "write framework: jax",
        "ray-train": "write framework: ray",
        "paddlepaddle": "write framework: paddle",
        "lgbm": "write framework: lightgbm",
        "xgb": "write framework: xgboost",
        "sklearn": "write framework: generic",
        "scikit-learn": "write framework: generic",
        "python": "write framework: generic",
        "none": "write framework: generic",
    }
)


def explain_framework(value: Any) -> Any:
    """The value as it is, unless it is a word of which we know what is meant. Raises unknown-value."""
    meant = MEANT.get(value.casefold()) if isinstance(value, str) else None
    if meant is not None:
        raise refuse(Code.UNKNOWN_VALUE, f'"{value}" is no framework of its own', meant)
    return value
