"""Operators by reference: an Application that points at the upstream release, pinned and configured for our jobs."""

from trainshed.compile.platform.operators.application import operator_applications
from trainshed.compile.platform.operators.beside import config_objects, operator_configs

__all__ = ["config_objects", "operator_applications", "operator_configs"]
