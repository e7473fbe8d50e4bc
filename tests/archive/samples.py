"""What kubectl would print of runs: what was rendered, with a status that a real control plane wrote.

`statuses.json` holds statuses as Kubernetes v1.36.3, the Training Operator v1.9.4, the MPI Operator v0.8.2, JobSet
v0.12.0, Trainer v2.3.0 and KubeRay v1.6.2 wrote them, of runs whose pods fake nodes completed or a deadline ended.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from repositories import Result
from ruamel.yaml import YAML
from sealed.shed import Shed

STATUSES: Mapping[str, Mapping[str, Any]] = json.loads(
    Path(__file__).with_name("statuses.json").read_text("utf-8")
)


def status(name: str) -> Any:
    """A real status, by the name that its run had."""
    return STATUSES[name]["status"]


def live(shed: Shed, job: str, status: Any, cluster: str = "lab", run: str = "") -> dict[str, Any]:
    """The object that carries a job's run, as the cluster would show it; `run` where there are several."""
    run = run or shed.runs(job, cluster)[0]
    folder = shed.path / "rendered" / cluster / f"job-vision-{job}"
    kinds = {kind.lower() for kind in ("Job", "PyTorchJob", "TrainJob", "RayJob")}
    (path,) = (path for path in folder.glob(f"*-{run}.yaml") if path.name.split("-")[0] in kinds)
    return {**YAML(typ="safe").load(path.read_text("utf-8")), "status": status}


def as_list(*objects: Any) -> str:
    """What kubectl prints of several objects."""
    return json.dumps(
        {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": objects}
    )


def archive(shed: Shed, shown: str | bytes, *arguments: str, cluster: str = "lab") -> Result:
    """What `trainshed archive` says to what kubectl printed."""
    path = shed.path.parent / "shown.json"
    path.write_bytes(shown.encode() if isinstance(shown, str) else shown)
    return shed.run("archive", "--cluster", cluster, str(path), *arguments)
