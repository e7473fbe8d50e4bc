"""Argo CD's own objects: a project for each team, an Application for each app, two roots a cluster, and its settings.

The platform's root goes by waves; the runs' root is flat, so that one failed run holds up no other.
"""

from trainshed.compile.platform.argocd.applications import App, git_source, subscriptions
from trainshed.compile.platform.argocd.naming import (
    API_VERSION,
    PLATFORM,
    ROOT,
    RUNS,
    application_name,
    destination,
    metadata,
    project_name,
)
from trainshed.compile.platform.argocd.roots import platform_objects, root_objects, run_objects
from trainshed.compile.platform.argocd.syncing import WAVES, Option, sync_policy

__all__ = [
    "API_VERSION",
    "PLATFORM",
    "ROOT",
    "RUNS",
    "WAVES",
    "App",
    "Option",
    "application_name",
    "destination",
    "git_source",
    "metadata",
    "platform_objects",
    "project_name",
    "root_objects",
    "run_objects",
    "subscriptions",
    "sync_policy",
]
