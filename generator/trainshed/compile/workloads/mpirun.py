"""What mpirun must be told that only the rendered pod knows."""

from collections.abc import Iterator

from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target

FROM_IMAGE = ("LD_LIBRARY_PATH", "PATH")
"""Variables of the image that a login by ssh does not have (horovod/horovod, `docs/mpi.rst`)."""


def tell_mpirun(target: Target, launcher: JsonObject, workers: JsonObject | None = None) -> JsonObject:
    """The launcher's replica spec with further options for mpirun. A command of the job's own stays as it is.

    With the `workers'` replica spec their variables are handed on: what sshd starts on a worker sees none of them.
    """
    if not target.mpirun:
        return launcher
    template = launcher["template"]
    (container, *others) = template["spec"]["containers"]
    program = container["command"]
    place = program.index("mpirun") + 1
    options = [
        *(["--allow-run-as-root"] if target.run_as.user == 0 else []),
        *(_handed_on(container, workers) if workers else []),
    ]
    told = {**container, "command": [*program[:place], *options, *program[place:]]}
    spec = {**template["spec"], "containers": [told, *others]}
    return {**launcher, "template": {**template, "spec": spec}}


def _handed_on(launcher: JsonObject, workers: JsonObject) -> Iterator[str]:
    """By name what the launcher has as well, such as secrets; by value what is the workers' alone: a fabric's."""
    (worker, *_) = workers["template"]["spec"]["containers"]
    own = {variable["name"]: variable for variable in worker["env"]}
    for name in sorted({*own, *FROM_IMAGE}):
        if name not in own or own[name] in launcher["env"]:
            yield from ("-x", name)
        elif "value" in own[name]:
            yield from ("-x", f"{name}={own[name]['value']}")
