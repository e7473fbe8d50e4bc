"""One job on one cluster: every wish of the merged layers resolved to a target."""

from collections.abc import Mapping
from types import MappingProxyType

from trainshed.model.manifest import canonical_json
from trainshed.model.naming import run_name
from trainshed.model.plan import Backend, Target
from trainshed.resolve.backend import choose_backend
from trainshed.resolve.digest import digest_job, digest_lineage
from trainshed.resolve.draft import Draft
from trainshed.resolve.environment import check_env_from, check_plain_secrets, resolve_env
from trainshed.resolve.fabric import check_alike, with_fabric
from trainshed.resolve.groups import resolve_groups, resolve_nodes
from trainshed.resolve.image import resolve_image, resolve_pull_secrets
from trainshed.resolve.labels import check_labels
from trainshed.resolve.mounts import resolve_checkpoint, resolve_mounts, resolve_scratch
from trainshed.resolve.names import check_length
from trainshed.resolve.policies import resolve_waivers
from trainshed.resolve.program import resolve_code_files, resolve_git, resolve_program
from trainshed.resolve.queueing import (
    check_elastic,
    check_gang,
    resolve_deadline,
    resolve_priority,
    resolve_queue,
)
from trainshed.resolve.security import resolve_approval, resolve_service_account, resolve_user
from trainshed.resolve.timing import resolve_grace, resolve_schedule

PULL_POLICIES: Mapping[str, str] = {"always": "Always", "if-not-present": "IfNotPresent", "never": "Never"}


def resolve_target(draft: Draft) -> Target:
    """The target; what stands against it is left in the draft's findings."""
    body, cluster, team = draft.body, draft.cluster, draft.team
    approved = resolve_approval(draft)
    queue = resolve_queue(draft)
    least, most = resolve_nodes(draft, body.nodes, ())
    backend = choose_backend(draft, most, least != most)
    groups = resolve_groups(draft, backend, bool(queue))
    groups = tuple(with_fabric(draft, group, approved) if group.name != "head" else group for group in groups)
    for group in groups:
        check_alike(draft, group)
    max_pods = sum(group.max_pods for group in groups)
    check_gang(draft, max_pods, queue)
    check_elastic(draft, backend, groups, queue)
    procs = body.procs_per_node or max(groups[-1].gpus, 1)
    command, args = resolve_program(draft, backend, procs)
    code_files = resolve_code_files(draft)
    check_plain_secrets(draft, code_files)
    merged = body.model_dump(by_alias=True, exclude_none=True)
    lineage = digest_lineage(merged, code_files)
    digest = digest_job(_own_words(draft), code_files)
    checkpoint = resolve_checkpoint(draft, backend, lineage)
    mounts, claims = resolve_mounts(draft, max_pods, approved)
    attempt = body.attempt or 1
    target = Target(
        job=draft.name,
        path=draft.file.path,
        cluster=cluster,
        team=team,
        namespace=team.privileged_namespace if approved else team.namespace,
        backend=backend,
        run=draft.name if backend is Backend.CRONJOB else run_name(draft.name, digest, attempt),
        digest=digest,
        lineage=lineage,
        attempt=attempt,
        description=body.description or "",
        owner=body.owner or team.owner,
        cost_center=body.cost_center or team.cost_center,
        labels=_without_nulls(body.labels),
        annotations=_without_nulls(body.annotations),
        framework=body.framework or "generic",
        ray_version=body.ray_version or "",
        runtime_env=canonical_json(body.runtime_env) if body.runtime_env else "",
        image=resolve_image(draft),
        image_pull_policy=PULL_POLICIES.get(body.image_pull_policy or "", ""),
        image_pull_secrets=resolve_pull_secrets(draft),
        command=command,
        args=args,
        working_dir=body.working_dir or "",
        code_files=code_files,
        git=resolve_git(draft),
        parameters=canonical_json(body.parameters) if body.parameters else "",
        procs_per_node=procs,
        env=resolve_env(draft, backend, body.env),
        env_from_secrets=(body.env_from and body.env_from.secrets) or (),
        env_from_config_maps=(body.env_from and body.env_from.config_maps) or (),
        groups=groups,
        scratch=resolve_scratch(draft),
        queue=queue,
        priority=resolve_priority(draft, queue),
        mounts=mounts,
        claims=claims,
        checkpoint=checkpoint,
        restarts=body.restarts or 0,
        fail_on=tuple(sorted(set(body.fail_on or ()))),
        grace_seconds=resolve_grace(draft, checkpoint),
        deadline_seconds=resolve_deadline(draft, backend, queue),
        cleanup=body.cleanup or "running",
        schedule=resolve_schedule(draft),
        service_account=resolve_service_account(draft),
        run_as=resolve_user(draft, groups),
        read_only_root=bool(body.security and body.security.read_only_root),
        privileged=bool(body.security and body.security.privileged),
        privileged_why=(body.security and body.security.why) or "",
        waivers=resolve_waivers(draft.file),
        sources=draft.sources,
    )
    check_env_from(draft)
    check_labels(draft)
    check_length(draft, target)
    return target


def _own_words(draft: Draft) -> dict[str, object]:
    """What the job itself says for this cluster, normalised: the ground of its digest."""
    own = draft.file.spec.model_dump(by_alias=True, exclude_unset=True)
    part = (draft.file.spec.clusters or {}).get(draft.cluster.name)
    here = part.model_dump(by_alias=True, exclude_unset=True) if part else {}
    return _merge_words({key: value for key, value in own.items() if key != "clusters"}, here)


def _merge_words(below: Mapping[str, object], above: Mapping[str, object]) -> dict[str, object]:
    merged = dict(below)
    for key, value in above.items():
        known = merged.get(key)
        both = isinstance(known, Mapping) and isinstance(value, Mapping)
        merged[key] = _merge_words(known, value) if both else value  # pyright: ignore
    return merged


def _without_nulls(words: Mapping[str, str | None] | None) -> Mapping[str, str]:
    return MappingProxyType({key: value for key, value in sorted((words or {}).items()) if value is not None})
