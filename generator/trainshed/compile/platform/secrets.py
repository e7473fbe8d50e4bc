"""Secrets that an operator copies from a store. Their values are never here."""

from trainshed.model.manifest import JsonObject
from trainshed.model.team import ExternalSecret

REFRESHED = "1h0m0s"
"""How often the operator looks at the store again, in the words that it writes itself."""


def external_secret(secret: ExternalSecret, namespace: str, labels: dict[str, str]) -> JsonObject:
    """Every property of the store's entry becomes a key of the Secret, which stays when this object goes."""
    return {
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": {"name": secret.name, "namespace": namespace, "labels": labels},
        "spec": {
            "refreshInterval": REFRESHED,
            "secretStoreRef": {"kind": secret.store_kind, "name": secret.store},
            "target": {"name": secret.name, "creationPolicy": "Owner", "deletionPolicy": "Retain"},
            "dataFrom": [
                {
                    "extract": {
                        "key": secret.key,
                        "conversionStrategy": "Default",
                        "decodingStrategy": "None",
                        "metadataPolicy": "None",
                    }
                }
            ],
        },
    }
