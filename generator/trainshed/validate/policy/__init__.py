"""Rules over everything that one cluster will hold, one a file: `check(view)` turns a view into findings."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy import (
    checkpoint_missing,
    claim_access,
    claim_changed,
    claim_read_only,
    deadline_missing,
    gpu_request,
    host_network,
    host_path,
    image_digest,
    image_tag,
    names_collide,
    no_such_claim,
    no_such_cluster_queue,
    no_such_config_map,
    no_such_flavor,
    no_such_namespace,
    no_such_priority_class,
    no_such_queue,
    no_such_runtime,
    no_such_secret,
    no_such_service_account,
    not_mirrored,
    object_twice,
    over_budget,
    owner_missing,
    port_blocked,
    privileged,
    project_forbids,
    resource_uncovered,
    runs_as_root,
    storage_access,
    storage_size,
    unknown_storage,
    wave_deadlock,
)
from trainshed.validate.view import ClusterView

Rule: TypeAlias = Callable[[ClusterView], Iterator[Diagnostic]]

WORKS: tuple[Rule, ...] = (
    claim_changed.check,
    object_twice.check,
    no_such_namespace.check,
    no_such_queue.check,
    no_such_cluster_queue.check,
    no_such_flavor.check,
    resource_uncovered.check,
    no_such_priority_class.check,
    no_such_claim.check,
    claim_access.check,
    claim_read_only.check,
    unknown_storage.check,
    storage_access.check,
    storage_size.check,
    no_such_config_map.check,
    no_such_secret.check,
    no_such_service_account.check,
    no_such_runtime.check,
    not_mirrored.check,
    port_blocked.check,
    names_collide.check,
    project_forbids.check,
    wave_deadlock.check,
)
"""What works or does not: none of these can be waived."""

POLICIES: tuple[Rule, ...] = (
    checkpoint_missing.check,
    deadline_missing.check,
    owner_missing.check,
    over_budget.check,
    image_digest.check,
    image_tag.check,
    gpu_request.check,
    privileged.check,
    host_path.check,
    host_network.check,
    runs_as_root.check,
)
"""What an organisation asks for beyond that: as grave as team and cluster say, and waived with a reason."""

RULES: tuple[Rule, ...] = (*WORKS, *POLICIES)


def check_rules(view: ClusterView) -> Iterator[Diagnostic]:
    """What every rule finds, rule by rule."""
    for rule in RULES:
        yield from rule(view)
