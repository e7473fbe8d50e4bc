"""Builds the Go program and puts it into the wheel."""

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

sys.path.insert(0, str(Path(__file__).parent))
from toolchain import find_go  # found only by the line above

PLATFORM_SETTINGS = ("GOOS", "GOARCH", "GOROOT", "GOEXPERIMENT")


class EngineBuildHook(BuildHookInterface[Any]):
    """Adds `trainshed_engine/bin/trainshed-engine`, built for this machine, to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build before the wheel is written; `build_data` gets the program and the platform's tag."""
        self.workplace = tempfile.TemporaryDirectory(prefix="trainshed-engine-")
        program = Path(self.workplace.name, f"trainshed-engine{sysconfig.get_config_var('EXE') or ''}")
        build_program(Path(self.root), program, self.metadata.version)
        place = f"trainshed_engine/bin/{program.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{next(platform_tags())}"
        build_data["force_include"][str(program)] = place
        if version == "editable":
            build_data["force_include_editable"][str(program)] = place

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Clear away what the wheel now holds."""
        self.workplace.cleanup()


def build_program(source: Path, program: Path, version: str) -> None:
    """Compile the Go module at `source` for this machine; says on standard error what it does."""
    go = find_go(source)
    if go is None:
        raise RuntimeError("trainshed-engine needs Go to be built, and no `go` that is new enough is on PATH")
    command = [
        go,
        "build",
        "-trimpath",
        "-buildvcs=false",
        f"-ldflags=-s -w -X trainshed.dev/engine/handshake.Version={version}",
        "-o",
        str(program),
        ".",
    ]
    say(f"building the Go program with {go}")
    say("the first build takes about a minute on two cores, later ones a few seconds")
    subprocess.run(command, cwd=source, env=build_environment(), check=True)
    say(f"built {program.stat().st_size / 1e6:.0f} MB")


def build_environment() -> dict[str, str]:
    """The machine's environment without what would build another program than the one that is committed."""
    kept = {name: value for name, value in os.environ.items() if name not in PLATFORM_SETTINGS}
    fixed = {"CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly", "GOTOOLCHAIN": "local", "GOWORK": "off"}
    return kept | fixed


def say(words: str) -> None:
    """One line on standard error, which uv shows with `--verbose`."""
    print(f"trainshed-engine: {words}", file=sys.stderr, flush=True)
