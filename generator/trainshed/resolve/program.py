"""What runs in the container: the launcher, the script, and the code that travels with the run."""

import re
from pathlib import PurePosixPath

from trainshed.model.codes import Code
from trainshed.model.contract import CODE_DIRECTORY
from trainshed.model.plan import Backend, CodeFile, GitCode
from trainshed.resolve.draft import Draft

CONFIG_MAP_BYTES = 1024 * 1024
"""The API server refuses a ConfigMap above 1 MiB."""

RUN_FORMS = ("script", "module", "command", "entrypoint")


_RAY_UNSAFE = re.compile(r"[`$;&|<>()*?\[\]{}~#\"'!\\\n]")


def resolve_program(
    draft: Draft, backend: Backend, procs_per_node: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The container's command and arguments."""
    run = draft.body.run
    written = [name for name in RUN_FORMS if getattr(run, name, None) is not None]
    if run is None or not written:
        draft.refuse(
            Code.MISSING_CHOICE,
            ("run",),
            "the job does not say what to run",
            "write run: {script: train.py}, {module: …} or {command: […]}; for the image's own, {entrypoint: image}",
        )
        return (), ()
    if len(written) > 1:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("run", written[1]),
            f"run says {' and '.join(written)}",
            f"keep one of them; the other was written at {draft.source('run', written[0])}",
        )
        return (), ()
    args = run.args or ()
    if backend is Backend.RAYJOB:
        _check_ray_words(draft, run.command or (), args)
    if run.entrypoint is not None or run.command is not None:
        _check_own_program(draft, backend)
    if run.entrypoint is not None:
        return _image_entrypoint(draft, backend, args)
    if run.command is not None:
        if backend is Backend.PYTORCHJOB:
            _check_processes(draft, run.command, procs_per_node)
        if not run.command:
            draft.refuse(
                Code.MISSING_CHOICE, ("run", "command"), "the command is empty", "write at least a program"
            )
        return run.command, args
    target = ("-m", run.module) if run.module is not None else (_script_path(run.script or ""),)
    return _launcher(draft, backend, procs_per_node), (*target, *args)


def _check_own_program(draft: Draft, backend: Backend) -> None:
    """Wishes about how a script is started, beside a program that starts itself."""
    idle = ["launcher"] if backend is not Backend.RAYJOB else []
    idle += ["procsPerNode"] if backend in (Backend.JOB, Backend.CRONJOB) else []
    for field in idle:
        if draft.sources.has(field):
            draft.refuse(
                Code.CONFLICTING_CHOICE,
                (field,),
                f"{field} is about scripts and modules, this job runs a program of its own",
                f"leave {field} out, or write run: {{script: …}}",
            )


def _check_ray_words(draft: Draft, command: tuple[str, ...], args: tuple[str, ...]) -> None:
    """Ray hands the entrypoint to a shell on the head, behind one that has already taken the quotes off."""
    run = draft.body.run
    places = [(("run", "script"), run.script), (("run", "module"), run.module)] if run else []
    places += [(("run", "command", index), word) for index, word in enumerate(command)]
    places += [(("run", "args", index), word) for index, word in enumerate(args)]
    for place, word in places:
        unsafe = _RAY_UNSAFE.search(word or "")
        if unsafe:
            draft.refuse(
                Code.BACKEND_CANNOT,
                place,
                f'"{unsafe[0]}" means something to the shell that Ray starts the program with',
                "put the value under parameters, which arrive as a file, or into the script",
            )


def _image_entrypoint(
    draft: Draft, backend: Backend, args: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if backend is Backend.RAYJOB:
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("run", "entrypoint"),
            "Ray puts its own command in place of the image's entrypoint",
            "write run: {script: …} or {command: […]}",
        )
    return (), args


LAUNCHERS = frozenset({"torchrun", "accelerate", "deepspeed", "composer"})
"""Programs that start a process for each GPU by themselves."""


def _check_processes(draft: Draft, command: tuple[str, ...], procs_per_node: int) -> None:
    """The operator's WORLD_SIZE counts processes: it must know how many a command of the job's own starts."""
    program = command[0].rpartition("/")[2] if command else ""
    launches = program in LAUNCHERS or any("torch.distributed" in word for word in command)
    if (
        draft.body.framework == "pytorch"
        and procs_per_node > 1
        and not launches
        and not draft.body.procs_per_node
    ):
        draft.refuse(
            Code.MISSING_CHOICE,
            ("run", "command"),
            f'how many processes "{program}" starts on each node is not said',
            f"write procsPerNode: 1 if it is one; or run: {{script: …}}, and torchrun starts {procs_per_node}",
        )


def _script_path(script: str) -> str:
    return script if script.startswith("/") else f"{CODE_DIRECTORY}/{script}"


def _launcher(draft: Draft, backend: Backend, procs_per_node: int) -> tuple[str, ...]:
    """Torchrun finds its peers by the operator's PET_* variables; alone on a node it needs none."""
    chosen = draft.body.launcher or "auto"
    framework = draft.body.framework or "generic"
    launcher = ("torchrun" if framework == "pytorch" else "python") if chosen == "auto" else chosen
    if launcher == "torchrun" and framework != "pytorch":
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("launcher",),
            f"framework {framework} is not started by torchrun",
            "write framework: pytorch, or launcher: python",
        )
    several = (draft.body.procs_per_node or (procs_per_node if framework == "pytorch" else 1)) > 1
    if launcher == "python" and several and framework != "ray":
        field = ("launcher",) if draft.sources.has("launcher") else ("procsPerNode",)
        draft.refuse(
            Code.BACKEND_CANNOT,
            field,
            f"python starts one process on each node, not {procs_per_node}",
            "write launcher: torchrun, or procsPerNode: 1",
        )
    if launcher == "python":
        return ("python",)
    alone = backend in (Backend.JOB, Backend.CRONJOB)
    return ("torchrun", "--standalone", f"--nproc-per-node={procs_per_node}") if alone else ("torchrun",)


def resolve_code_files(draft: Draft) -> tuple[CodeFile, ...]:
    """The files beside the spec that travel with the run as a ConfigMap; none when the code is cloned."""
    code = draft.body.code
    if code is not None and code.git is not None:
        if code.files:
            draft.refuse(
                Code.CONFLICTING_CHOICE,
                ("code", "files"),
                "code says files and git",
                "keep one: a clone has the files",
            )
        return ()
    named: list[tuple[str, tuple[str | int, ...]]] = []
    run = draft.body.run
    if run is not None and run.script is not None and not run.script.startswith("/"):
        named.append((run.script, ("run", "script")))
    named += [(name, ("code", "files", index)) for index, name in enumerate((code and code.files) or ())]
    files = tuple(file for name, field in named for file in _find_code(draft, name, field))
    if sum(len(file.content) for file in files) > CONFIG_MAP_BYTES:
        draft.refuse(
            Code.CODE_TOO_LARGE,
            named[-1][1],
            "the code files together are larger than 1 MiB",
            "a ConfigMap holds no more: put the code into the image, or write code: {git: …}",
        )
    return files


def _find_code(draft: Draft, name: str, field: tuple[str | int, ...]) -> tuple[CodeFile, ...]:
    source = draft.source(*field)
    path = source.path.parent / PurePosixPath(name)
    content = draft.code.get(path)
    if content is None:
        draft.refuse(
            Code.CODE_MISSING,
            field,
            f'"{name}" does not lie beside {source.path.name}',
            f"put it at {path}, or write the absolute path of a file that is in the image",
        )
        return ()
    return (CodeFile(path, str(PurePosixPath(name)), content),)


def resolve_git(draft: Draft) -> GitCode | None:
    """The commit that an init container clones, if the job says one."""
    git = draft.body.code.git if draft.body.code else None
    if git is None:
        return None
    for field in ("repo", "commit"):
        if getattr(git, field) is None:
            draft.refuse(
                Code.MISSING_FIELD,
                ("code", "git"),
                f"code.git does not say its {field}",
                "write {repo: https://…, commit: <40 digits>}",
            )
    if git.repo is not None and not git.repo.startswith(("https://", "ssh://", "git@")):
        draft.refuse(
            Code.BAD_PATH,
            ("code", "git", "repo"),
            f'"{git.repo}" is not the address of a repository',
            "write https://…, ssh://… or git@host:path",
        )
    if git.secret is not None and git.repo is not None and git.repo.startswith("https://"):
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("code", "git", "secret"),
            "the secret holds a key for ssh, the repository is reached over https",
            "write the repository's ssh address, or leave the secret out for a public one",
        )
    return GitCode(git.repo or "", git.commit or "", git.secret or "", draft.cluster.git_image)
