#!/usr/bin/env python3
"""Keeps a ConfigMap "services" with the names of all Services of the namespace."""

import json
import os
import sys

NAMESPACE = os.environ.get("POD_NAMESPACE", "default")

CONFIG = {
    "configVersion": "v1",
    "kubernetes": [
        {
            "name": "services",
            "apiVersion": "v1",
            "kind": "Service",
            "namespace": {"nameSelector": {"matchNames": [NAMESPACE]}},
            # Only this is kept of each Service, and only a change of it runs the hook.
            "jqFilter": ".metadata.name",
            "keepFullObjectsInMemory": False,
            # Of several events that wait one run is made, which sees them all in its snapshot.
            "group": "services",
        }
    ],
}


def config_map(names: list[str]) -> dict:
    """The ConfigMap that should be there."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "services", "namespace": NAMESPACE},
        "data": {"count": str(len(names)), "names": "\n".join(names)},
    }


def main() -> None:
    if sys.argv[1:] == ["--config"]:
        print(json.dumps(CONFIG))
        return
    with open(os.environ["BINDING_CONTEXT_PATH"], encoding="utf-8") as file:
        contexts = json.load(file)
    # All contexts of a run have the same snapshot, so it does not matter which event came.
    snapshot = contexts[-1]["snapshots"]["services"]
    names = sorted(item["filterResult"] for item in snapshot)
    with open(os.environ["KUBERNETES_PATCH_PATH"], "w", encoding="utf-8") as file:
        json.dump({"operation": "Apply", "object": config_map(names)}, file)
    print(f"services: {names}")


if __name__ == "__main__":
    main()
