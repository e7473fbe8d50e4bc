"""The entry point, and the one place where a fault of the generator is caught."""

import gc
import sys
import traceback
from collections.abc import Mapping
from importlib import import_module

import click

from trainshed.model.selection import SelectionError

FAULT = 3
INTERRUPTED = 130

COMMANDS: Mapping[str, str] = {
    "render": "Write overlays/ and rendered/ from specs/, whole or not at all.",
    "check": "Say what is wrong with specs/, and where what is committed is stale.",
    "diff": "Say what a merge would do: runs, objects, risks, and the lines that cause them.",
    "plan": "Say what a merge asks of queues: GPUs and GPU hours, against quotas, and who has to wait.",
    "judge": "Judge manifests of any origin, as check judges what it renders.",
    "rehearse": "Run a rendered job as processes on this machine, with faults, and say what they cost.",
    "show": "Print what a job renders to, as YAML.",
    "archive": "Take runs that have ended out of rendered/, and record how they ended.",
    "reseal": "Render a run anew under its own name, and record why.",
    "explain": "Say what a finding means, why it matters, and how to mend or waive it.",
    "schemas": "Make or list schemas: those of operators' releases, and those of specs for editors.",
    "version": "Print the releases of trainshed, its engine, and the judges that are linked into it.",
}
"""Every command with its line in `--help`. Each has the file, and is the function, of its name."""


class Commands(click.Group):
    """Imports a command when it is asked for, so that `--help` and `version` wait for nothing that they do not need."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name, if it is one."""
        return getattr(import_module(f"trainshed.cli.{cmd_name}"), cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The table itself; click would import every command for its docstring."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option("--debug", is_flag=True, help="Show the stack when trainshed itself fails.")
def cli(debug: bool) -> None:
    """Short training specs in, reviewed Kubernetes manifests out.

    People write specs/. `trainshed render` makes overlays/ and rendered/ from them, which are committed and which
    Argo CD syncs. `trainshed check` says what is wrong, and whether what is committed is what the specs say.

    Exit codes: 0 all is well, 1 findings or drift, 2 the command line is wrong, 3 trainshed itself failed.
    """


def main() -> None:
    """Run a command and leave with its exit code; nothing that goes wrong ends in a bare traceback."""
    gc.disable()  # frozen values hold no cycles: looking for some is the only work that it would do
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as leaving:
        code = leaving.exit_code
    except SelectionError as wrong:
        click.echo(f"trainshed: {wrong}", err=True)
        code = click.UsageError.exit_code
    except click.ClickException as wrong:
        wrong.show()
        code = wrong.exit_code
    except (KeyboardInterrupt, click.exceptions.Abort):
        sys.unraisablehook = lambda _: None  # Node ends with us, and jsii would print its broken pipe
        code = INTERRUPTED
    except Exception as fault:
        code = _report_fault(fault)
    gc.freeze()  # nor has the end of the process to look for any
    sys.exit(code or 0)


def _report_fault(fault: Exception) -> int:
    if "--debug" in sys.argv:
        traceback.print_exception(fault)
    from trainshed.cli.version import read_version  # which asks for the engine

    summary = f"{type(fault).__name__}: {fault}".strip().splitlines()[0]
    click.echo(f"trainshed {read_version()} failed: {summary}", err=True)
    click.echo(
        "This is a fault of trainshed, not of your specs: please report it, with --debug's output.", err=True
    )
    return FAULT
