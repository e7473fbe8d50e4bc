"""Kapitan on the same jobs: an inventory with a target for each job, and a kadet component that makes its objects.

The component fills in what trainshed rendered for one job, so both write objects of the same shape and size.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from tests.bench.environment import install_kapitan
from tests.bench.measure import Cost, run
from tests.bench.workload import Job, Workload

COMPONENT = """\
import json
from pathlib import Path

from kapitan.inputs.kadet import BaseObj, inventory

TEMPLATES = json.loads(Path(__file__).with_name("templates.json").read_text())


def main():
    words = inventory().parameters.words.to_dict()
    output = BaseObj()
    for name, text in TEMPLATES.items():
        for word, value in words.items():
            text = text.replace(f"@{word}@", value)
        output.root[name] = json.loads(text)
    return output
"""
CLASS = {
    "parameters": {
        "kapitan": {
            "compile": [
                {
                    "input_type": "kadet",
                    "input_paths": ["components/training"],
                    "output_type": "yaml",
                    "output_path": ".",
                }
            ]
        }
    }
}


def measure(workload: Workload, rendered: Path, folder: Path) -> Cost:
    """What `kapitan compile` takes for the workload. `rendered` is a repository that trainshed has rendered."""
    write(workload, rendered, folder)
    cost = run([install_kapitan(), "compile", "--quiet", "--ignore-version-check"], folder)
    made = len(list((folder / "compiled").rglob("*.y*ml")))
    if made != 3 * workload.num_jobs:
        raise RuntimeError(f"kapitan made {made} objects for {workload.num_jobs} jobs")
    return cost


def write(workload: Workload, rendered: Path, folder: Path) -> None:
    """The inventory and the component."""
    first = next(workload.jobs())
    templates = {
        str(number): _mark_words(json.dumps(_read(path)), first, rendered)
        for number, path in enumerate(sorted(_app_folder(first, rendered).glob("*.yaml")))
    }
    component = folder / "components" / "training"
    component.mkdir(parents=True)
    (component / "__init__.py").write_text(COMPONENT, "utf-8")
    (component / "templates.json").write_text(json.dumps(templates), "utf-8")
    for kind in ("classes", "targets"):
        (folder / "inventory" / kind).mkdir(parents=True)
    (folder / "inventory" / "classes" / "training.yml").write_text(json.dumps(CLASS), "utf-8")
    for job in workload.jobs():
        target = {
            "classes": ["training"],
            "parameters": {
                "kapitan": {"vars": {"target": job.name}},
                "words": _words(job, _run(job, rendered)),
            },
        }
        (folder / "inventory" / "targets" / f"{job.name}.yml").write_text(json.dumps(target), "utf-8")


def _mark_words(text: str, job: Job, rendered: Path) -> str:
    """The text with a mark in place of each word of the job; the longest first, for some are parts of others."""
    words = _words(job, _run(job, rendered))
    for word, value in sorted(words.items(), key=lambda item: -len(item[1])):
        text = text.replace(value, f"@{word}@")
    return text


def _words(job: Job, run_name: str) -> Mapping[str, str]:
    """What differs between jobs."""
    return {
        "run": run_name,
        "name": job.name,
        "team": job.team,
        "cluster": job.cluster,
        "image": job.image,
        "numbers": f'\\"learningRate\\":{round(job.learning_rate, 9)},\\"seed\\":{job.seed}',
    }


def _run(job: Job, rendered: Path) -> str:
    (path,) = _app_folder(job, rendered).glob("pytorchjob-*.yaml")
    return path.stem.removeprefix("pytorchjob-")


def _app_folder(job: Job, rendered: Path) -> Path:
    return rendered / "rendered" / job.cluster / f"job-{job.team}-{job.name}"


def _read(path: Path) -> Any:
    return YAML(typ="safe").load(path.read_text("utf-8"))
