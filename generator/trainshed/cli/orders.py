"""What the options of `trainshed rehearse` order."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from trainshed.rehearse.conduct import Orders
from trainshed.rehearse.faults import Deed, FaultError, parse_duration, parse_fault
from trainshed.rehearse.kubelet.setting import Setting


def read_orders(asked: Mapping[str, Any]) -> Orders:
    """From the options by their names. Raises UsageError for what cannot be read."""
    try:
        faults = [parse_fault(deed, text) for deed in Deed for text in asked[deed]]
        limit = parse_duration(asked["timeout"])
    except FaultError as wrong:
        raise click.UsageError(str(wrong)) from None
    return Orders(
        faults=tuple(faults),
        random=asked["random"],
        seed=asked["seed"],
        times=None if asked["until_done"] else asked["times"],
        limit_seconds=limit,
        rooms=asked["rooms"],
        compares=not asked["no_compare"],
        contents=_read_folders("--claim", "NAME=FOLDER", asked["claims"]),
        setting=_read_setting(asked),
    )


def _read_setting(asked: Mapping[str, Any]) -> Setting:
    setting = Setting(
        secret_values=_read_pairs("--secret", "NAME/KEY=VALUE", asked["secrets"]),
        local=_read_folders("--mount", "PATH=FOLDER", asked["mounts"]),
        environment=_read_pairs("--env", "NAME=VALUE", asked["env"]),
    )
    return replace(setting, python=asked["python"].absolute()) if asked["python"] else setting


def _read_folders(option: str, form: str, texts: Sequence[str]) -> dict[str, Path]:
    folders = {name: Path(folder).absolute() for name, folder in _read_pairs(option, form, texts).items()}
    for name, folder in folders.items():
        if not folder.is_dir():
            raise click.UsageError(f"{option} {name}: there is no folder {folder}")
    return folders


def _read_pairs(option: str, form: str, texts: Sequence[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals) or ("/" in form.partition("=")[0]) > ("/" in name):
            raise click.UsageError(f"{option}: write {form}")
        pairs[name] = value
    return pairs
