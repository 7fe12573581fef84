#!/usr/bin/env python3
"""Keeps a ConfigMap with the hosts of all Ingresses of a namespace, and the Ingress that has each."""

import json
import os
import sys

NAMESPACE = os.environ.get("POD_NAMESPACE", "default")

CONFIG = {
    "configVersion": "v1",
    "kubernetes": [
        {
            "name": "ingresses",
            "apiVersion": "networking.k8s.io/v1",
            "kind": "Ingress",
            "namespace": {"nameSelector": {"matchNames": [NAMESPACE]}},
            "jqFilter": "{name: .metadata.name, hosts: [.spec.rules[]?.host // empty]}",
            "keepFullObjectsInMemory": False,
            "includeSnapshotsFrom": ["ingresses"],
        }
    ],
}


def hosts_of(ingresses: list) -> dict:
    """The name of the Ingress for each host; of several the first by name."""
    pairs = [(host, ingress["name"]) for ingress in ingresses for host in ingress["hosts"]]
    # Of equal keys the last one counts.
    return dict(sorted(pairs, reverse=True))


def main() -> None:
    if sys.argv[1:] == ["--config"]:
        print(json.dumps(CONFIG))
        return
    with open(os.environ["BINDING_CONTEXT_PATH"], encoding="utf-8") as file:
        contexts = json.load(file)
    # All contexts of a run have the same snapshot, so it does not matter which event came.
    snapshot = contexts[-1]["snapshots"]["ingresses"]
    hosts = hosts_of([item["filterResult"] for item in snapshot])
    configmap = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "hosts", "namespace": NAMESPACE},
        "data": {"hosts.json": json.dumps(hosts, indent=2, sort_keys=True)},
    }
    with open(os.environ["KUBERNETES_PATCH_PATH"], "w", encoding="utf-8") as file:
        json.dump({"operation": "CreateOrUpdate", "object": configmap}, file)
    print(f"{len(hosts)} host(s)")


if __name__ == "__main__":
    main()
