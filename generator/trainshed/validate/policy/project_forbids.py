"""An Argo CD project allows what its Applications read, where they apply it, and every object that they contain."""

from collections.abc import Callable, Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.validate.policy.reading.argo import app_of, sources_of
from trainshed.validate.policy.reading.names import lacks
from trainshed.validate.policy.reading.projects import allowed_kinds, allows_destination, allows_repository
from trainshed.validate.policy.reading.values import map_at, text_at
from trainshed.validate.view import ClusterView, Member

ALWAYS = "default"


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """Findings at Applications whose project forbids them, and at objects that it forbids."""
    apps: dict[str, list[Member]] = {}
    for member in view.members:
        apps.setdefault(member.app, []).append(member)
    allows = {project.identity: allowed_kinds(project) for project in view.of_kind("AppProject")}
    for application in view.of_kind("Application"):
        name = text_at(application.body, "spec", "project")
        project = view.find("AppProject", application.namespace, name)
        if project is not None:
            app = app_of(view, application)
            objects = apps.get(app, []) if app else []
            yield from _judge(application, project, allows[project.identity], objects)
        elif name != ALWAYS and lacks(view, "AppProject", application.namespace, name):
            source, sentence = application.at("/spec/project"), "is in a project that is not there"
            yield error(Code.PROJECT_FORBIDS, source, f'{application.identity} {sentence}: "{name}"')


def _judge(
    application: Member, project: Member, allows: Callable[[Member], bool], objects: list[Member]
) -> Iterator[Diagnostic]:
    destination = map_at(application.body, "spec", "destination")
    for pointer, source in sources_of(application):
        url = text_at(source, "repoURL")
        if not allows_repository(project, url):
            yield _forbids(
                project, application, f"{pointer}/repoURL", f"{application.identity} to read {url}"
            )
    if not allows_destination(project, destination):
        where = text_at(destination, "namespace") or "any namespace"
        yield _forbids(project, application, "/spec/destination", f"{application.identity} in {where}")
    namespaces = {member.namespace for member in objects if member.namespace}
    outside = {
        name for name in namespaces if not allows_destination(project, destination | {"namespace": name})
    }
    for member in objects:
        if not allows(member):
            yield _forbids(project, member, "", f"{member.identity} in {application.identity}")
        elif member.namespace in outside:
            yield _forbids(
                project, member, "/metadata/namespace", f"{member.identity}: not in that namespace"
            )


def _forbids(project: Member, member: Member, pointer: str, what: str) -> Diagnostic:
    return error(
        Code.PROJECT_FORBIDS,
        member.at(pointer),
        f"{project.identity} does not allow {what}",
        "Argo CD would refuse to sync it: add it to the project, or move it to another app",
        [Related(project.at("/spec"), "the project is described here")],
    )
