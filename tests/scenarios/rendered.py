"""The rendered files of this repository, read as plain YAML."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Rendered:
    """The files below `rendered/`."""

    root: Path

    def objects(self, cluster: str, app: str) -> list[dict[str, Any]]:
        """Every object of an app, in the order of the files."""
        files = sorted((self.root / cluster / app).glob("*.yaml"))
        assert files, f"nothing is rendered for {app} on {cluster}"
        return [_read(file) for file in files]

    def find(self, cluster: str, app: str, kind: str, name: str = "") -> dict[str, Any]:
        """The only object of this kind, and of this name where one is given."""
        found = [
            item
            for item in self.objects(cluster, app)
            if item["kind"] == kind and name in ("", item["metadata"]["name"])
        ]
        assert len(found) == 1, [item["metadata"]["name"] for item in found]
        return found[0]

    def kinds(self, cluster: str, app: str) -> list[str]:
        """The kinds of an app's objects, sorted."""
        return sorted(item["kind"] for item in self.objects(cluster, app))

    def clusters(self) -> list[str]:
        """The clusters by name."""
        return sorted(path.name for path in self.root.iterdir())

    def apps(self, cluster: str, prefix: str = "") -> list[str]:
        """The apps of a cluster whose names begin so, Argo CD's own left out."""
        names = (path.name for path in (self.root / cluster).iterdir() if path.name != "argocd")
        return sorted(name for name in names if name.startswith(prefix))


@cache
def _read(file: Path) -> dict[str, Any]:
    return YAML(typ="safe").load(file)


def pod_specs(value: Any) -> Iterator[dict[str, Any]]:
    """Every pod spec in an object, however deep."""
    if isinstance(value, Mapping):
        if isinstance(value.get("containers"), list):
            yield dict(value)
        for item in value.values():
            yield from pod_specs(item)
    elif isinstance(value, list):
        for item in value:
            yield from pod_specs(item)


def read_env(pod: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of a pod's first container: text, or where the value comes from."""
    return {item["name"]: item.get("value", item.get("valueFrom")) for item in pod["containers"][0]["env"]}


def run_labels(item: Mapping[str, Any]) -> dict[str, str]:
    """The labels by which Kueue takes an object in, without their domain."""
    return {
        key.removeprefix("kueue.x-k8s.io/"): value
        for key, value in item["metadata"]["labels"].items()
        if key.startswith("kueue.x-k8s.io/")
    }
