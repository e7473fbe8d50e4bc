"""PyTorch's first optimizer of a process imports its compiler, which sets a variable: before a test looks at those."""

import pytest
import torch


@pytest.fixture(scope="module", autouse=True)
def compiler_is_imported() -> None:
    torch.optim.SGD(torch.nn.Linear(1, 1).parameters())
