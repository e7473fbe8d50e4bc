"""Findings that no repository can cause by itself, and the tests that prove them in place of a case."""

from dataclasses import dataclass

from trainshed.model.codes import Code


@dataclass(frozen=True, slots=True)
class Proof:
    """A code, the test that proves it, why it takes no case, and how the finding reads."""

    code: Code
    file: str
    test: str
    why: str
    example: str


ELSEWHERE = (
    Proof(
        Code.BUILD_FAILED,
        "findings/test_own_faults.py",
        "test_a_kustomization_that_cannot_be_built_is_our_own_fault",
        "people write no kustomization: only a fault of overlay could cause it",
        "Kustomize cannot build overlays/job-vision-resnet/lab",
    ),
    Proof(
        Code.BUILD_DIFFERS,
        "findings/test_own_faults.py",
        "test_a_build_that_gives_something_else_is_our_own_fault",
        "people write no kustomization: only a fault of overlay could cause it",
        "overlays/job-vision-resnet/lab does not build the ConfigMap team-vision/settings that was compiled",
    ),
    Proof(
        Code.DISK_FULL,
        "report/test_commit.py",
        "test_a_full_disk_leaves_the_old_tree",
        "a full disk cannot be had without the rights to mount one",
        "cannot write rendered/x/b/job.yaml: no space left on device",
    ),
    Proof(
        Code.UNWRITABLE_FILE,
        "report/test_commit.py",
        "test_a_missing_permission_leaves_the_old_tree",
        "root writes everywhere, so the test has to run as somebody else",
        "cannot write into the folder rendered/x/a",
    ),
    Proof(
        Code.TREE_LOCKED,
        "report/test_commit.py",
        "test_a_second_render_gives_up_when_its_patience_ends",
        "a command waits twenty seconds for another",
        "another trainshed command is writing the generated files",
    ),
)
