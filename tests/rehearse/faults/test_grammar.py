"""What people write behind `--kill` and its like."""

import pytest

from trainshed.rehearse.faults import Deed, Fault, FaultError, check_targets, parse_fault

READ = {
    (Deed.KILL, "worker-1@step=20"): Fault(Deed.KILL, "worker-1", step=20),
    (Deed.KILL, "worker-1@30s"): Fault(Deed.KILL, "worker-1", seconds=30),
    (Deed.KILL, "worker-1@500ms"): Fault(Deed.KILL, "worker-1", seconds=0.5),
    (Deed.RECLAIM, "worker-0@step=10"): Fault(Deed.RECLAIM, "worker-0", step=10),
    (Deed.RECLAIM, "worker-0@2m,notice=15s"): Fault(Deed.RECLAIM, "worker-0", seconds=120, notice=15),
    (Deed.RECLAIM, "worker-0@30s,away=5m"): Fault(Deed.RECLAIM, "worker-0", seconds=30, away=300),
    (Deed.HANG, "worker-1@step=5"): Fault(Deed.HANG, "worker-1", step=5),
    (Deed.FILL, "checkpoints@step=30"): Fault(Deed.FILL, "checkpoints", step=30),
    (Deed.SLOW, "checkpoints=2MB/s"): Fault(Deed.SLOW, "checkpoints", bytes_per_second=2_000_000),
    (Deed.SLOW, "checkpoints=1.5KiB/s"): Fault(Deed.SLOW, "checkpoints", bytes_per_second=1536),
}

REFUSED = {
    (Deed.KILL, "worker-1"): '"worker-1" does not say when; write worker-1@step=20 or worker-1@30s',
    (Deed.KILL, "@step=20"): '"@step=20" does not say what; write worker-1@step=20 or worker-1@30s',
    (Deed.KILL, "worker-1@20"): '"20" is no duration; write 30s, 2m or 500ms',
    (Deed.KILL, "worker-1@step=x"): '"step=x" is no step; write worker-1@step=20 or worker-1@30s',
    (
        Deed.KILL,
        "worker-1@30s,notice=15s",
    ): '"notice=15s" is nothing that --kill knows; write worker-1@step=20 or worker-1@30s',
    (Deed.RECLAIM, "worker-0@30s,notice=soon"): '"soon" is no duration; write 30s, 2m or 500ms',
    (Deed.SLOW, "checkpoints=2"): '"checkpoints=2" does not say how slow; write checkpoints=2MB/s',
    (Deed.SLOW, "checkpoints=0MB/s"): '"checkpoints=0MB/s" does not say how slow; write checkpoints=2MB/s',
}


@pytest.mark.parametrize(("deed", "text"), READ)
def test_a_fault_is_read(deed: Deed, text: str) -> None:
    assert parse_fault(deed, text) == READ[deed, text]


@pytest.mark.parametrize(("deed", "text"), REFUSED)
def test_a_fault_that_cannot_be_read_says_what_would_be_right(deed: Deed, text: str) -> None:
    with pytest.raises(FaultError) as refused:
        parse_fault(deed, text)
    assert str(refused.value) == REFUSED[deed, text]


def test_an_unknown_pod_suggests_the_nearest() -> None:
    with pytest.raises(FaultError) as refused:
        check_targets([Fault(Deed.KILL, "woker-1", step=1)], ["master-0", "worker-1"], [])
    assert str(refused.value) == '--kill: no pod "woker-1"; did you mean "worker-1"?'


def test_an_unknown_claim_suggests_the_nearest_claim_and_no_pod() -> None:
    with pytest.raises(FaultError) as refused:
        check_targets([Fault(Deed.FILL, "worker-0", step=1)], ["worker-0"], ["models"])
    assert str(refused.value) == '--fill: no claim "worker-0"; known here: models'


def test_a_claim_that_cannot_be_since_there_is_none_is_said() -> None:
    with pytest.raises(FaultError) as refused:
        check_targets([Fault(Deed.SLOW, "data", bytes_per_second=1)], ["worker-0"], [])
    assert str(refused.value) == '--slow: no claim "data"; there is no claim at all'
