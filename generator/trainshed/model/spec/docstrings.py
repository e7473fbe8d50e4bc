"""The words that stand below the fields of a class."""

import ast
import inspect
from collections.abc import Iterator
from itertools import pairwise
from textwrap import dedent


def read_docstrings(described: type) -> Iterator[tuple[str, str]]:
    """Each field that the class itself declares, and the text below it. Raises OSError where there is no source."""
    source = ast.parse(dedent(inspect.getsource(described)))
    statements = [line for made in source.body if isinstance(made, ast.ClassDef) for line in made.body]
    for field, below in pairwise(statements):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                yield name, inspect.cleandoc(words)
            case _:
                pass
