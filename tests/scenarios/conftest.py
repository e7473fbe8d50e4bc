"""What the scenario tests share."""

import pytest
from scenarios.rendered import ROOT, Rendered


@pytest.fixture(scope="session")
def rendered() -> Rendered:
    return Rendered(ROOT / "rendered")
