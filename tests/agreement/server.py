"""A real API server, asked whether it would take an object.

Reads the kubeconfig that KUBECONFIG names: one cluster with its authority inside, one user with a token.
"""

import base64
import json
import os
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML

JsonObject = dict[str, Any]

NO_KIND = "no matches for kind"
"""How kubectl begins where the server has no such kind."""


@dataclass
class Server:
    """A connection to the kubeconfig's cluster."""

    address: str
    trust: ssl.SSLContext
    token: str
    resources: dict[tuple[str, str], tuple[str, bool]] = field(default_factory=dict)

    @classmethod
    def of_kubeconfig(cls) -> "Server":
        with open(os.environ["KUBECONFIG"]) as file:
            config = YAML(typ="safe").load(file)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        return cls(cluster["server"], ssl.create_default_context(cadata=authority), user["token"])

    def refuses(self, body: JsonObject, *, dry_run: bool = True) -> str:
        """The server's words, or nothing if it takes the object: created, or put in place of the one of its name."""
        plural, namespaced = self._resource(body["apiVersion"], body["kind"])
        if not plural:
            return f"{NO_KIND} {body['kind']} in {body['apiVersion']}"
        metadata = body.get("metadata") or {}
        path = _root(body["apiVersion"])
        if namespaced:
            path += f"/namespaces/{metadata.get('namespace') or 'default'}"
        query = "fieldManager=agreement&fieldValidation=Strict" + ("&dryRun=All" if dry_run else "")
        there, standing = self._ask("GET", f"{path}/{plural}/{metadata['name']}")
        if there < 300:
            version = standing["metadata"]["resourceVersion"]
            body = body | {"metadata": metadata | {"resourceVersion": version}}
            status, answer = self._ask("PUT", f"{path}/{plural}/{metadata['name']}?{query}", body)
        else:
            status, answer = self._ask("POST", f"{path}/{plural}?{query}", body)
        return "" if status < 300 else str(answer.get("message", answer))

    def delete(self, body: JsonObject) -> None:
        """Takes an object away, and what it owns after it."""
        plural, namespaced = self._resource(body["apiVersion"], body["kind"])
        metadata = body["metadata"]
        space = f"/namespaces/{metadata['namespace']}" if namespaced else ""
        self.delete_all(f"{_root(body['apiVersion'])}{space}/{plural}/{metadata['name']}")

    def delete_all(self, path: str) -> None:
        """Takes away what a path names."""
        self._ask("DELETE", f"{path}?propagationPolicy=Background")

    def read(self, path: str) -> JsonObject:
        return self._ask("GET", path)[1]

    def _resource(self, version: str, kind: str) -> tuple[str, bool]:
        if (version, kind) not in self.resources:
            self.resources[version, kind] = ("", False)
            for found in self.read(_root(version)).get("resources", []):
                if "/" not in found["name"]:
                    self.resources[version, found["kind"]] = (found["name"], found["namespaced"])
        return self.resources[version, kind]

    def _ask(self, verb: str, path: str, body: JsonObject | None = None) -> tuple[int, JsonObject]:
        request = urllib.request.Request(
            self.address + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                "Accept": "application/json",
            },
            method=verb,
        )
        try:
            with urllib.request.urlopen(request, context=self.trust, timeout=60) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as refusal:
            text = refusal.read().decode("utf-8", "replace")
            try:
                return refusal.code, json.loads(text)
            except ValueError:
                return refusal.code, {"message": text}


def _root(version: str) -> str:
    return f"/apis/{version}" if "/" in version else f"/api/{version}"
