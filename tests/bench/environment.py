"""The peers, each installed once in a cache folder of its own; none of them touches this project's environment."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

KAPITAN = "kapitan==0.36.3"
KUSTOMIZE = "sigs.k8s.io/kustomize/kustomize/v5@v5.8.1"


def cache_folder() -> Path:
    """Where the peers stay between runs."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "trainshed" / "bench"


def install_kapitan() -> Path:
    """The `kapitan` command, in an environment of its own: it asks for other releases of what we depend on."""
    folder = cache_folder() / KAPITAN.replace("==", "-")
    command = folder / "bin" / "kapitan"
    if not command.exists():
        _run("uv", "venv", "--clear", "--python", sys.executable, folder)
        _run("uv", "pip", "install", "--python", folder / "bin" / "python", KAPITAN)
    return command


def install_kustomize() -> tuple[Path | str, ...]:
    """The command that builds an overlay: Kustomize made with Go, else the one inside kubectl.

    Raises `FileNotFoundError` where neither Go nor kubectl is installed.
    """
    folder = cache_folder() / KUSTOMIZE.rpartition("@")[2]
    command = folder / "kustomize"
    if not command.exists() and shutil.which("go"):
        _run("go", "install", KUSTOMIZE, GOBIN=str(folder))
    if command.exists():
        return command, "build"
    if shutil.which("kubectl"):
        return "kubectl", "kustomize"
    raise FileNotFoundError("neither go nor kubectl is installed")


def _run(*command: str | Path, **more: str) -> None:
    """Run from the cache folder: below this project, uv would hold the peers to its constraints."""
    home = cache_folder()
    home.mkdir(parents=True, exist_ok=True)
    subprocess.run([*map(str, command)], check=True, cwd=home, env={**os.environ, **more}, stdout=sys.stderr)
