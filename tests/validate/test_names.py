"""Names that two things come to, in Git or in the cluster."""

from validate.views import say, see

from trainshed.validate.policy import names_collide, object_twice

POD = "{apiVersion: v1, kind: Pod, metadata: {name: NAME, namespace: team-vision}, spec: {containers: [{name: a}]}}\n---\n"
RAY = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: NAME, namespace: team-vision}
spec: {headGroupSpec: {template: {metadata: {name: POD}, spec: {containers: [{name: ray-head}]}}}}
---
"""
LONG = "a-name-that-is-so-long-that-kuberay-has-to-cut-it-o"


def ray(name: str, pod: str) -> str:
    return RAY.replace("NAME", name).replace("POD", pod)


def test_names_that_differ_before_the_cut_stay_apart() -> None:
    assert say(names_collide.check(see(ray("one", "one-head") + ray("two", "two-head")))) == []


def test_names_that_agree_up_to_the_cut_collide() -> None:
    head = f"{LONG[:50]}-head"
    assert say(names_collide.check(see(ray(f"{LONG}1", head) + ray(f"{LONG}2", head)))) == [
        f"error at RayCluster {LONG}2/metadata/name: names-collide: RayCluster team-vision/{LONG}2 and "
        f"RayCluster team-vision/{LONG}1 both come to a Pod called {head}, once it is cut to its limit"
    ]


def test_a_pod_of_ones_own_collides_with_one_that_is_made() -> None:
    (said,) = say(names_collide.check(see(POD.replace("NAME", "one-head") + ray("one", "one-head"))))
    assert said.endswith("both come to a Pod called one-head")


def test_in_two_namespaces_a_name_can_be_had_twice() -> None:
    other = ray("one", "one-head").replace("team-vision", "team-nlp")
    assert say(names_collide.check(see(ray("one", "one-head") + other))) == []


def test_a_job_that_submits_collides_with_a_job_of_its_name() -> None:
    job = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: team-vision}
spec: {template: {metadata: {labels: {batch.kubernetes.io/job-name: train}}, spec: {containers: [{name: a}]}}}
---
"""
    submits = job.replace("kind: Job", "kind: RayJob").replace("batch/v1", "ray.io/v1")
    assert say(names_collide.check(see(job))) == []
    (said,) = say(names_collide.check(see(job + submits)))
    assert said.startswith("error at RayJob train/metadata/name: names-collide: ")
    assert said.endswith("both come to a Job called train")


def test_an_object_belongs_to_one_app_and_stands_there_once() -> None:
    assert say(object_twice.check(see({"one": POD, "two": POD.replace("NAME", "other")}))) == []
    assert len(say(object_twice.check(see({"one": POD, "two": POD})))) == 1
    assert len(say(object_twice.check(see({"one": POD + POD})))) == 1
