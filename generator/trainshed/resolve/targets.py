"""One job on one cluster: every wish of the merged layers resolved to a target."""

from collections.abc import Mapping
from types import MappingProxyType

from trainshed.model.families import LASTING, RAY
from trainshed.model.manifest import canonical_json
from trainshed.model.naming import run_name
from trainshed.model.plan import Target
from trainshed.model.seal import Life
from trainshed.resolve.backend import choose_backend
from trainshed.resolve.code import resolve_code_files, resolve_git, resolve_working_dir
from trainshed.resolve.digest import digest_job, digest_lineage, digest_words
from trainshed.resolve.draft import Draft
from trainshed.resolve.environment import check_env_from, check_plain_secrets, resolve_env
from trainshed.resolve.extras import resolve_extras, room_for_sidecars
from trainshed.resolve.fabric import check_overrides, with_fabrics
from trainshed.resolve.gang import resolve_together
from trainshed.resolve.gpus import check_gpus
from trainshed.resolve.groups import resolve_groups, shape_of
from trainshed.resolve.image import resolve_image, resolve_pull_secrets
from trainshed.resolve.inputs import resolve_inputs
from trainshed.resolve.labels import check_labels
from trainshed.resolve.mounts import resolve_mounts, resolve_scratch
from trainshed.resolve.mpi import check_mpi, uses_mpirun
from trainshed.resolve.names import check_length
from trainshed.resolve.nodes import resolve_node_wishes
from trainshed.resolve.observability import resolve_observability
from trainshed.resolve.parallel import own_folder, spread
from trainshed.resolve.patches import resolve_edits
from trainshed.resolve.policies import resolve_waivers
from trainshed.resolve.program import resolve_programs, resolve_runtime
from trainshed.resolve.queueing import (
    check_elastic,
    resolve_deadline,
    resolve_priority,
    resolve_queue,
)
from trainshed.resolve.ray import note_upgrade, resolve_autoscaler
from trainshed.resolve.rendezvous import resolve_rendezvous
from trainshed.resolve.restarts import resolve_codes, resolve_restarts
from trainshed.resolve.saving import resolve_checkpoint, resolve_output
from trainshed.resolve.security import (
    resolve_approval,
    resolve_namespace,
    resolve_service_account,
    resolve_user,
)
from trainshed.resolve.sizing import count_processes
from trainshed.resolve.success import resolve_success
from trainshed.resolve.sweep import check_sweep_secrets, resolve_sweep
from trainshed.resolve.timing import resolve_grace, resolve_schedule, resolve_shutdown
from trainshed.resolve.topology import check_closeness, check_order, resolve_scheduling
from trainshed.resolve.trust import resolve_ca_bundle, resolve_seccomp

PARTS = frozenset({"environments", "clusters"})
"""What a job says for some clusters only, the more particular last."""

PULL_POLICIES: Mapping[str, str] = {"always": "Always", "if-not-present": "IfNotPresent", "never": "Never"}


def resolve_target(draft: Draft) -> Target:
    """The target; what stands against it is left in the draft's findings."""
    body, cluster, team = draft.body, draft.cluster, draft.team
    approved = resolve_approval(draft)
    namespace = resolve_namespace(draft, approved)
    queue = resolve_queue(draft)
    choice = choose_backend(draft, shape_of(draft))
    backend = choice.backend
    groups = resolve_groups(draft, backend, bool(queue))
    parts = backend.carrier.roles
    groups = room_for_sidecars(draft, with_fabrics(draft, groups, parts, approved), parts.beside)
    num_gpu_pods = sum(group.max_pods for group in groups if group.gpus)
    for group in groups:
        check_gpus(draft, group, num_gpu_pods)
    sweep, schedule = resolve_sweep(draft), resolve_schedule(draft)
    groups = spread(draft, groups, sweep)
    max_pods = sum(group.max_pods for group in groups)
    together = resolve_together(draft, backend, groups, queue)
    check_elastic(draft, backend, groups, queue)
    procs = count_processes(draft, groups)
    run_as = resolve_user(draft, backend, groups)
    check_mpi(draft, backend, groups, run_as)
    note_upgrade(draft, backend)
    command, args, groups = resolve_programs(draft, backend, groups, procs)
    code_files = resolve_code_files(draft)
    check_plain_secrets(draft, code_files)
    check_sweep_secrets(draft)
    merged = body.model_dump(by_alias=True, exclude_none=True)
    own_words = _own_words(draft)
    lineage = digest_lineage(merged | {"env": own_words.get("env")}, code_files)
    digest = digest_job(own_words, code_files)
    indexed, shared = sweep is not None or max_pods > 1, bool(schedule and schedule.resume_previous)
    own = own_folder(backend, indexed=indexed, shared=shared)
    checkpoint = resolve_checkpoint(draft, lineage, own)
    grace = resolve_grace(draft, checkpoint)
    mounts, claims = resolve_mounts(draft, max_pods, approved)
    check_overrides(draft, groups, mounts)
    attempt = body.attempt or 1
    fail_on, retry_on = resolve_codes(draft)
    target = Target(
        job=draft.name,
        path=draft.file.path,
        cluster=cluster,
        team=team,
        namespace=namespace,
        backend=backend,
        why=choice.why,
        run=draft.name if backend in LASTING else run_name(draft.name, digest, attempt),
        digest=digest,
        lineage=lineage,
        attempt=attempt,
        stopped=body.state == "stopped",
        description=body.description or "",
        owner=body.owner or team.owner,
        cost_center=body.cost_center or team.cost_center,
        labels=_without_nulls(body.labels),
        annotations=_without_nulls(body.annotations),
        tags=tuple(dict.fromkeys(body.tags or ())),
        framework=body.framework or "generic",
        ray_version=body.ray_version or "",
        runtime_env=canonical_json(body.runtime_env) if body.runtime_env else "",
        autoscaler=resolve_autoscaler(draft, groups) if backend in RAY else None,
        image=resolve_image(draft),
        image_pull_policy=PULL_POLICIES.get(body.image_pull_policy or "", ""),
        image_pull_secrets=resolve_pull_secrets(draft),
        command=command,
        args=args,
        mpirun=uses_mpirun(draft, backend),
        working_dir=resolve_working_dir(draft, code_files),
        code_files=code_files,
        git=resolve_git(draft),
        runtime=resolve_runtime(draft),
        parameters=canonical_json(body.parameters) if body.parameters and sweep is None else "",
        sweep=sweep,
        procs_per_node=procs,
        env=resolve_env(draft, backend, body.env),
        env_from_secrets=(body.env_from and body.env_from.secrets) or (),
        env_from_config_maps=(body.env_from and body.env_from.config_maps) or (),
        groups=groups,
        scratch=resolve_scratch(draft),
        queue=queue,
        priority=resolve_priority(draft, queue),
        scheduling=resolve_scheduling(draft, backend, together, queue),
        node_wishes=resolve_node_wishes(draft, groups),
        rendezvous=resolve_rendezvous(draft),
        extras=resolve_extras(draft, backend, groups, mounts, bool(code_files)),
        edits=resolve_edits(draft, namespace),
        mounts=mounts,
        claims=claims,
        inputs=resolve_inputs(draft, mounts),
        checkpoint=checkpoint,
        output=resolve_output(draft, lineage, own_folder(backend, indexed=indexed, shared=False)),
        restarts=resolve_restarts(draft, backend),
        fail_on=fail_on,
        retry_on=retry_on,
        success=resolve_success(draft),
        startup_seconds=body.startup_timeout or 0,
        keep_failed_seconds=body.keep_failed_for or 0,
        grace_seconds=grace,
        shutdown_seconds=resolve_shutdown(draft, groups, checkpoint, grace),
        deadline_seconds=resolve_deadline(draft, backend, queue),
        cleanup=body.cleanup or "running",
        do_not_disrupt=bool(body.do_not_disrupt),
        observability=resolve_observability(draft, groups, mounts),
        schedule=schedule,
        service_account=resolve_service_account(draft),
        run_as=run_as,
        seccomp=resolve_seccomp(draft, approved),
        ca_bundle=resolve_ca_bundle(draft),
        read_only_root=bool(body.security and body.security.read_only_root),
        privileged=bool(body.security and body.security.privileged),
        privileged_why=(body.security and body.security.why) or "",
        waivers=resolve_waivers(draft.file),
        when_edited=body.when_edited or "replace",
        defaults=digest_words(merged),
        sources=draft.sources,
        life=Life(),
    )
    check_env_from(draft)
    check_labels(draft)
    check_length(draft, target)
    check_closeness(draft, target)
    check_order(draft, target)
    return target


def _own_words(draft: Draft) -> dict[str, object]:
    """What the job itself says for this cluster, normalised: the ground of its digest."""
    own = draft.file.spec.model_dump(by_alias=True, exclude_unset=True)
    words = {key: value for key, value in own.items() if key not in PARTS}
    for field, name in (("environments", draft.cluster.environment), ("clusters", draft.cluster.name)):
        words = _merge_words(words, (own.get(field) or {}).get(name) or {})
    return words


def _merge_words(below: Mapping[str, object], above: Mapping[str, object]) -> dict[str, object]:
    merged = dict(below)
    for key, value in above.items():
        known = merged.get(key)
        both = isinstance(known, Mapping) and isinstance(value, Mapping)
        merged[key] = _merge_words(known, value) if both else value  # pyright: ignore
    return merged


def _without_nulls(words: Mapping[str, str | None] | None) -> Mapping[str, str]:
    return MappingProxyType({key: value for key, value in sorted((words or {}).items()) if value is not None})
