"""A document into its type. What does not fit becomes findings at the words that are wrong."""

import json
from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from trainshed.load.locations import locate_faults
from trainshed.load.shape_faults import Document, explain_faults
from trainshed.model.diagnostic import sort_findings
from trainshed.model.outcome import Outcome
from trainshed.model.tree import Tree

M = TypeVar("M", bound=BaseModel)


def read_shape(tree: Tree, model: type[M], words_that_mean: Mapping[str, str]) -> Outcome[M]:
    """The document as `model`, without any conversion between types of JSON.

    `words_that_mean` maps a word that people know from elsewhere to what they should do here. A validator may
    raise PydanticCustomError(code, summary, {"detail": …, "field": …}) with a Code's value; with "field", the
    finding stands at that field of the map.
    """
    try:
        # As JSON: only there does pydantic tell text from numbers and still take lists for tuples.
        return Outcome(model.model_validate_json(json.dumps(tree.data), strict=True))
    except ValidationError as cause:
        faults = locate_faults(cause.errors(include_url=False), tree.data)
    return Outcome(None, sort_findings(explain_faults(faults, Document(tree, model, words_that_mean))))
