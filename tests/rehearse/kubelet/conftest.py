"""A stage in each kind of rooms."""

import socket
from pathlib import Path

import pytest
from rehearse.kubelet.stage import Stage, namespaces_are_had


@pytest.fixture(params=["isolated", "plain"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Stage:
    """Each test is played in both kinds of rooms; where the kernel refuses the first, that is what is tested."""
    kind = request.param
    if kind == "isolated" and not namespaces_are_had(tmp_path / "trial"):
        kind = "auto"
    return Stage(kind, tmp_path / "rehearsal")


@pytest.fixture
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]
