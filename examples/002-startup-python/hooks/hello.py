#!/usr/bin/env python3
"""Runs once, when the operator starts: a hook in Python, with nothing but its standard library."""

import json
import os
import platform
import sys

CONFIG = {"configVersion": "v1", "onStartup": 10}


def main() -> None:
    if sys.argv[1:] == ["--config"]:
        print(json.dumps(CONFIG))
        return
    with open(os.environ["BINDING_CONTEXT_PATH"], encoding="utf-8") as file:
        contexts = json.load(file)
    for context in contexts:
        print(f"hello from Python {platform.python_version()}, called for {context['binding']}")


if __name__ == "__main__":
    main()
