"""Builds the Go programs and puts them into the wheel."""

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

# The programs and their packages. The engine starts the others, which it looks for beside itself.
PROGRAMS = {"trainshed-engine": ".", "trainshed-jobset": "./jobset"}


class EngineBuildHook(BuildHookInterface[Any]):
    """Adds the programs, built for this machine, to the wheel, below `trainshed_engine/bin/`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build before the wheel is written; `build_data` gets the programs and the platform's tag."""
        self.workplace = tempfile.TemporaryDirectory(prefix="trainshed-engine-")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{next(platform_tags())}"
        for program in build_programs(Path(self.root), Path(self.workplace.name), self.metadata.version):
            place = f"trainshed_engine/bin/{program.name}"
            build_data["force_include"][str(program)] = place
            if version == "editable":
                build_data["force_include_editable"][str(program)] = place

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Clear away what the wheel now holds."""
        self.workplace.cleanup()


def build_programs(source: Path, folder: Path, version: str) -> list[Path]:
    """Compile the Go module at `source` for this machine; says on standard error what it does."""
    go = find_go(source)
    if go is None:
        raise RuntimeError("trainshed-engine needs Go to be built, and no `go` that is new enough is on PATH")
    say(f"building {len(PROGRAMS)} Go programs with {go}")
    say("the first build takes about four minutes on two cores, later ones some seconds")
    suffix = sysconfig.get_config_var("EXE") or ""
    return [
        build_program(go, source, package, folder / f"{name}{suffix}", version)
        for name, package in PROGRAMS.items()
    ]


def build_program(go: str, source: Path, package: str, program: Path, version: str) -> Path:
    """Compile one package of the module, stamped with the release."""
    command = [
        go,
        "build",
        "-trimpath",
        "-buildvcs=false",
        f"-ldflags=-s -w -X trainshed.dev/engine/handshake.Version={version}",
        "-o",
        str(program),
        package,
    ]
    subprocess.run(command, cwd=source, env=build_environment(), check=True)
    say(f"built {program.name}, {program.stat().st_size / 1e6:.0f} MB")
    return program


def build_environment() -> dict[str, str]:
    """The machine's environment without what would build another program than the one that is committed."""
    kept = {name: value for name, value in os.environ.items() if name not in PLATFORM_SETTINGS}
    fixed = {"CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly", "GOTOOLCHAIN": "local", "GOWORK": "off"}
    return kept | fixed


def say(words: str) -> None:
    """One line on standard error, which uv shows with `--verbose`."""
    print(f"trainshed-engine: {words}", file=sys.stderr, flush=True)
