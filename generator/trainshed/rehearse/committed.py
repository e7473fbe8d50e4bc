"""Where the rendered manifests of a job lie."""

import re
from collections.abc import Sequence
from pathlib import Path

from trainshed.model.selection import SelectionError
from trainshed.model.suggest import did_you_mean

_LABEL = re.compile(r"^ +trainshed\.dev/(job|team): (.+)$", re.MULTILINE)


def find_rendered(root: Path, job: str, cluster: str | None) -> tuple[Path, str]:
    """The folder of a job (`NAME` or `TEAM/NAME`) below `rendered/`, and its cluster.

    Raises SelectionError where there is none, or where several clusters have it and none is named.
    """
    folders = [folder for folder in sorted((root / "rendered").glob("*/job-*")) if folder.is_dir()]
    names = {folder: _names_of(folder) for folder in folders}
    found = [folder for folder in folders if job in names[folder]]
    if not found:
        known = sorted({name for each in names.values() for name in each})
        raise SelectionError(
            f'no job "{job}" is rendered', did_you_mean(job, known) or "`trainshed render` writes rendered/"
        )
    here = [folder for folder in found if cluster in (None, folder.parent.name)]
    clusters = sorted({folder.parent.name for folder in found})
    if not here:
        raise SelectionError(
            f'"{job}" is not rendered for cluster "{cluster}"', did_you_mean(cluster or "", clusters)
        )
    if len(here) > 1:
        advice = f"--cluster chooses: {', '.join(clusters)}" if len(clusters) > 1 else "name it TEAM/NAME"
        raise SelectionError(f'"{job}" is rendered {len(here)} times', advice)
    return here[0], here[0].parent.name


def _names_of(folder: Path) -> Sequence[str]:
    """What a job may be called, by the labels of its objects."""
    for path in sorted(folder.glob("*.yaml")):
        labels = dict(_LABEL.findall(path.read_text("utf-8", "replace")))
        if "job" in labels:
            return labels["job"], f"{labels.get('team', '')}/{labels['job']}"
    return ()
