"""`--help` in sections, for a command with many options."""

from collections.abc import Mapping, Sequence
from typing import Any

import click


class GroupedCommand(click.Command):
    """A command whose options are listed below titles: `groups` has the names of the parameters of each."""

    def __init__(self, *arguments: Any, groups: Mapping[str, Sequence[str]], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._groups = groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each group, and what is in none below the last title."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        records = {option.name: option.get_help_record(ctx) for option in options}
        for title, names in self._groups.items():
            with formatter.section(title):
                formatter.write_dl([record for name in names if (record := records.pop(name, None))])
        rest = [record for record in records.values() if record]
        with formatter.section("Other options"):
            formatter.write_dl(rest)
