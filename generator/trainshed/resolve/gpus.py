"""What a job says about GPUs, and which pools have such: whole ones, slices, shared ones."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from trainshed.model.cluster import Pool
from trainshed.model.codes import Code
from trainshed.model.pods import PodGroup
from trainshed.model.spec.size import Gpus
from trainshed.resolve.backend import INDEPENDENT
from trainshed.resolve.draft import Draft


@dataclass(frozen=True, slots=True)
class GpuWish:
    """The GPUs of each pod. An empty `type` or `resource` means any."""

    count: int
    type: str = ""
    mig: str = ""
    shared: bool = False
    resource: str = ""

    @property
    def is_any(self) -> bool:
        """Whether any pool will do, those without GPUs too."""
        return not (self.count or self.type)

    def suits(self, pool: Pool) -> bool:
        """Whether the pool's GPUs are of this sort, however many a node has.

        A resource that is named says by itself whether it stands for slices or shared GPUs.
        """
        gpus = pool.gpus
        if gpus is None or self.type not in ("", gpus.type):
            return False
        if self.resource:
            return self.resource == gpus.resource and self.mig in ("", gpus.mig)
        return self.mig == gpus.mig and self.shared == bool(gpus.sharing)

    def __str__(self) -> str:
        shared = "shared " if self.shared else ""
        slices = f" slices of {self.mig}" if self.mig else ""
        return self.resource or f"{shared}{self.type or 'GPU'}{slices}"


NO_GPUS = GpuWish(0)


def read_wish(draft: Draft, gpus: Gpus | None, at: tuple[str, ...]) -> GpuWish:
    """The wish; findings at `at` where it says what, and not how many."""
    if gpus is None:
        return NO_GPUS
    count = gpus.per_node if gpus.per_node is not None else 1 if gpus.shared else 0
    wish = GpuWish(count, gpus.type or "", gpus.mig or "", bool(gpus.shared), gpus.resource or "")
    if gpus.per_node is None and not gpus.shared:
        for field, word in (("type", gpus.type), ("mig", gpus.mig), ("resource", gpus.resource)):
            if word:
                draft.refuse(
                    Code.MISSING_CHOICE,
                    (*at, "gpus", field),
                    f"how many {word} is not said",
                    "write perNode: 8" if wish.mig == "" else "write perNode: 1",
                )
                break
    return wish if wish.count else NO_GPUS


def check_gpus(draft: Draft, group: PodGroup, pods: int) -> None:
    """Whether the pods can train with what they get; `pods` are those of the whole run that have GPUs."""
    if not group.gpus:
        return
    kinds = {str(pool.gpus): pool for pool in group.pools if pool.gpus}
    types = sorted({pool.gpu_type for pool in group.pools if pool.gpu_type})
    if pods > 1 and len(types) > 1:
        draft.refuse(
            Code.MISSING_CHOICE,
            (*group.field, "gpus"),
            f"{pods} pods could get different accelerators ({', '.join(types)})",
            f"write gpus: {{type: {types[0]}, perNode: {group.gpus}}}",
        )
    shared = [pool for pool in kinds.values() if pool.gpus and pool.gpus.sharing]
    if shared and group.gpus > 1:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            (*group.field, "gpus", "perNode"),
            f"{group.gpus} shared GPUs in one pod may be parts of one GPU: it gets no more work done than one",
            "write perNode: 1; for more, whole GPUs: leave shared out",
        )
    elif shared and pods > 1 and (draft.body.framework or "generic") not in INDEPENDENT:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            (*group.field, "gpus", "shared"),
            f"{pods} pods that train together may meet on one shared GPU, which NCCL refuses",
            "write nodes: 1, or take whole GPUs: leave shared out",
        )


def offer(pools: Iterable[Pool]) -> str:
    """The sorts of GPUs that pools have, in words."""
    return ", ".join(dict.fromkeys(str(pool.gpus) for pool in pools if pool.gpus)) or "no GPUs"


def check_extra(
    draft: Draft, pools: tuple[Pool, ...], wanted: Mapping[str, int], at: tuple[str, ...]
) -> tuple[Pool, ...]:
    """The pools whose nodes have enough of the further resources; a finding at the one that none has."""
    cluster = draft.cluster
    for name, count in wanted.items():
        if any(name in pool.resources and name not in pool.extra for pool in cluster.pools.values()):
            draft.refuse(
                Code.CONFLICTING_CHOICE,
                (*at, name),
                f"{name} is not a further resource: gpus and fabric ask for it",
                "write gpus: {perNode: …}, or fabric: {devices: …}",
            )
            return pools
        having = tuple(pool for pool in pools if pool.resources.get(name, 0) >= count)
        if pools and not having:
            most = max(pool.resources.get(name, 0) for pool in cluster.pools.values())
            draft.refuse(
                Code.NO_POOL,
                (*at, name),
                f"no node of {', '.join(pool.name for pool in pools)} has {count} {name}",
                f"nodes of {cluster.name} have at most {most}"
                if most
                else f"say what nodes have: pools: {{…: {{resources: {{{name}: {count}}}}}}} "
                f"in {cluster.source.path}",
            )
            return pools
        pools = having
    return pools
