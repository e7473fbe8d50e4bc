"""What a rehearsal needs and this machine lacks: programs, scripts, and modules that the run's own code imports."""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Findings, error
from trainshed.model.manifest import JsonObject
from trainshed.rehearse.gpus import count_gpus
from trainshed.rehearse.kubelet.environment import SHIMS, STAND_INS
from trainshed.rehearse.kubelet.setting import Setting
from trainshed.rehearse.scene import Scene

_ASK = "import importlib.util as u, json, sys; print(json.dumps([m for m in sys.argv[1:] if u.find_spec(m) is None]))"
_ASK_SECONDS = 60
_PYTHON = ("python", "python3", "torchrun", "accelerate", "deepspeed", "mpirun", "horovodrun")
_GPU_DEVICES = ("/dev/nvidia0", "/dev/kfd", "/dev/accel0")


def find_missing(scene: Scene, setting: Setting) -> Findings:
    """An error for each program, script and module without which a container cannot start."""
    containers = [each for pod in scene.pods for each in _containers(pod.body)]
    found = [
        *_missing_programs(scene, containers, setting),
        *_missing_scripts(scene, containers, setting),
        *_missing_modules(scene, containers, setting),
    ]
    return tuple(dict.fromkeys(found))


def say_gpus(scene: Scene) -> Iterator[str]:
    """A sentence where pods ask for accelerators and there are none."""
    asked = max((count_gpus(pod.body) for pod in scene.pods), default=0)
    if asked and not any(map(os.path.exists, _GPU_DEVICES)):
        yield (
            f"pods ask for {asked} GPU(s) and this machine has none: what they train with nccl or CUDA has to do"
            " with gloo and CPUs"
        )


def _missing_programs(
    scene: Scene, containers: Iterable[JsonObject], setting: Setting
) -> Iterator[Diagnostic]:
    for container in containers:
        program = (container.get("command") or [""])[0]
        if program and not _has_program(program, container, setting):
            advice = "--python FOLDER puts a folder of programs first, --mount PATH=FOLDER one at a path of the image"
            yield error(
                Code.REHEARSAL_MISSING, scene.source, f'there is no "{program}" on this machine', advice
            )


def _has_program(program: str, container: JsonObject, setting: Setting) -> bool:
    if "$(" in program:
        return True
    if "/" in program:
        return _has_path(program, container, setting)
    folders = (str(SHIMS), str(setting.python), os.environ.get("PATH", ""), os.defpath)
    return shutil.which(program, path=os.pathsep.join(folders)) is not None


def _has_path(path: str, container: JsonObject, setting: Setting) -> bool:
    """Below a mount, or on this machine."""
    places = [*setting.local, *(mount.get("mountPath", "") for mount in container.get("volumeMounts") or ())]
    is_mounted = any(PurePosixPath(path).is_relative_to(place) for place in places if place)
    return is_mounted or path in STAND_INS or os.path.exists(path)


def _missing_scripts(
    scene: Scene, containers: Iterable[JsonObject], setting: Setting
) -> Iterator[Diagnostic]:
    for container in containers:
        script = next(
            (word for word in _words(container) if word.endswith(".py") and word[0] not in "-$"), ""
        )
        if not script or not _starts_python(container):
            continue
        path = str(PurePosixPath(container.get("workingDir") or "/", script))
        if not _has_path(path, container, setting):
            folder = PurePosixPath(path).parent
            advice = f"it lies in the image: --mount {folder}=FOLDER puts a folder of yours there"
            yield error(Code.REHEARSAL_MISSING, scene.source, f'there is no "{path}" on this machine', advice)


def _missing_modules(
    scene: Scene, containers: Iterable[JsonObject], setting: Setting
) -> Iterator[Diagnostic]:
    started = set() if setting.local else {module for each in containers for module in _started_modules(each)}
    wanted = sorted(_imported(scene) | started)
    python = setting.python / "python"
    interpreter = str(python) if python.exists() else sys.executable
    for module in _ask(interpreter, wanted) if wanted else ():
        summary = f'the run needs the module "{module}", which {interpreter} does not have'
        advice = "--python FOLDER names the bin folder of a virtual environment that has what the image has"
        yield error(Code.REHEARSAL_MISSING, scene.source, summary, advice)


def _ask(interpreter: str, modules: Sequence[str]) -> Sequence[str]:
    """Those that it does not find; where it cannot be asked, none."""
    try:
        done = subprocess.run(  # noqa: S603 - the Python that the person named, with a program of ours
            [interpreter, "-I", "-c", _ASK, *modules], capture_output=True, timeout=_ASK_SECONDS, check=False
        )
        return json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ()


def _started_modules(container: JsonObject) -> Iterator[str]:
    """What `python -m` names, where nothing but the interpreter can have it."""
    finds_more = container.get("workingDir") or any(
        each["name"] == "PYTHONPATH" for each in container.get("env") or ()
    )
    words = _words(container)
    for program, flag, module in zip(words, words[1:], words[2:], strict=False):
        if flag == "-m" and PurePosixPath(program).name.startswith("python") and not finds_more:
            yield module.partition(".")[0]


def _imported(scene: Scene) -> set[str]:
    """Modules that Python files of mounted ConfigMaps import at their beginning, unless they are among them."""
    mounted = {name for pod in scene.pods for name in _config_maps_of(pod.body) if _runs_python(pod.body)}
    texts: dict[str, str] = {}
    for config_map in scene.config_maps:
        if config_map["metadata"].get("name") in mounted:
            texts |= {
                key: text for key, text in (config_map.get("data") or {}).items() if key.endswith(".py")
            }
    own = {part for key in texts for part in key.removesuffix(".py").replace("/", ".").split(".")}
    found = {module for text in texts.values() for module in _imports_of(text)}
    return {
        module for module in found - own - set(sys.stdlib_module_names) if not module.startswith("trainshed")
    }


def _imports_of(text: str) -> Iterator[str]:
    """Only what no `try` and no `if` stands around."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _config_maps_of(pod: JsonObject) -> Iterator[str]:
    for volume in pod["spec"].get("volumes") or ():
        sources = [volume, *(volume.get("projected") or {}).get("sources", ())]
        yield from (source["configMap"].get("name", "") for source in sources if "configMap" in source)


def _runs_python(pod: JsonObject) -> bool:
    return any(map(_starts_python, _containers(pod)))


def _starts_python(container: JsonObject) -> bool:
    return PurePosixPath((_words(container) or [""])[0]).name in _PYTHON


def _words(container: JsonObject) -> list[str]:
    return [str(word) for word in (*(container.get("command") or ()), *(container.get("args") or ())) if word]


def _containers(pod: JsonObject) -> Sequence[JsonObject]:
    spec: Mapping[str, list[JsonObject]] = pod["spec"]
    return [*(spec.get("initContainers") or ()), *spec["containers"]]
