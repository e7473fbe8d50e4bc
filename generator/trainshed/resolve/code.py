"""The code of a run that is not in its image: files beside the spec, a commit, or a volume of the team."""

from pathlib import PurePosixPath

from trainshed.model.codes import Code
from trainshed.model.contract import CODE_DIRECTORY
from trainshed.model.pods import CodeFile, GitCode, Mount
from trainshed.resolve.draft import Draft
from trainshed.resolve.found import Mounting

CONFIG_MAP_BYTES = 1024 * 1024
"""The API server refuses a ConfigMap above 1 MiB."""


def code_directory(draft: Draft) -> str:
    """Where scripts are looked for: /code, or the folder of the repository that `code.git.path` names."""
    git = draft.body.code.git if draft.body.code else None
    return f"{CODE_DIRECTORY}/{git.path}" if git and git.path else CODE_DIRECTORY


def resolve_working_dir(draft: Draft, files: tuple[CodeFile, ...]) -> str:
    """Where the run starts: as written, else where its code is, else where the image says."""
    code = draft.body.code
    has_code = bool(files or (code and (code.git or code.volume)))
    return draft.body.working_dir or (code_directory(draft) if has_code else "")


def mount_code(mounting: Mounting) -> list[Mount]:
    """The volume that the code lies on, mounted to be read."""
    code = mounting.draft.body.code
    written = code.volume if code else None
    if written is None:
        return []
    at = ("code", "volume")
    if written.volume is None:
        mounting.draft.refuse(
            Code.MISSING_FIELD, at, "code.volume does not say which volume", "write volume: <a volume>"
        )
        return []
    _check_inside(mounting.draft, written.path, (*at, "path"))
    found = mounting.volume(written.volume, at, writes=False)
    path = written.path or ""
    return [Mount("code", found.kind, found.origin, CODE_DIRECTORY, path, True, at)] if found else []


def _check_inside(draft: Draft, path: str | None, at: tuple[str, ...]) -> None:
    if path is not None and (not path or path.startswith("/") or ".." in path.split("/")):
        draft.refuse(
            Code.BAD_PATH,
            at,
            f'"{path}" leads out of the code',
            'write a path without a leading "/" and ".."',
        )


def resolve_code_files(draft: Draft) -> tuple[CodeFile, ...]:
    """The files beside the spec that travel with the run as a ConfigMap; none when it is cloned or on a volume."""
    code = draft.body.code
    written = [form for form in ("files", "git", "volume") if code and getattr(code, form) is not None]
    if len(written) > 1:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("code", written[0]),
            f"code says {' and '.join(written)}",
            "keep one: a clone has the files",
        )
    if written and written != ["files"]:
        return ()
    named: list[tuple[str, tuple[str | int, ...]]] = []
    runs = [(("run",), draft.body.run)]
    runs += [(("roles", name, "run"), role.run) for name, role in (draft.body.roles or {}).items() if role]
    for at, run in runs:
        if run is not None and run.script is not None and not run.script.startswith("/"):
            named.append((run.script, (*at, "script")))
    named += [(name, ("code", "files", index)) for index, name in enumerate((code and code.files) or ())]
    found = (file for name, field in named for file in _find_code(draft, name, field))
    files = tuple({file.mounted_as: file for file in found}.values())
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
    _check_inside(draft, git.path, ("code", "git", "path"))
    return GitCode(
        repo=git.repo or "",
        commit=git.commit or "",
        secret=git.secret or "",
        image=draft.cluster.git_image,
        submodules=bool(git.submodules),
        depth=1 if git.depth is None else git.depth,
    )
