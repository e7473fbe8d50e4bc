"""Rules over everything that is rendered, one a file: `check(rendered, inputs)` yields findings."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from trainshed.model.diagnostic import Diagnostic
from trainshed.model.files import Rendered
from trainshed.model.inputs import Inputs
from trainshed.validate.policy import claim_changed, object_twice

Policy: TypeAlias = Callable[[Rendered, Inputs], Iterator[Diagnostic]]

POLICIES: tuple[Policy, ...] = (claim_changed.check, object_twice.check)
