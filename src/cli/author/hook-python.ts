import { unreachable } from '../../lib/unreachable.ts';
import { configText } from './hook-config.ts';
import type { HookPlan } from './hook-plan.ts';

/** A new hook in Python. */
export function pythonHook(plan: HookPlan): string {
  return `#!/usr/bin/env python3
"""${plan.name}: say here what it does."""

import json
import os
import sys

CONFIG = """\\
${configText(plan)}
"""


def handle(context: dict) -> None:
    """Does what one binding context asks for."""
${handling(plan)
  .map((line) => `    ${line}\n`)
  .join('')}

def main() -> None:
    if sys.argv[1:] == ["--config"]:
        print(CONFIG)
        return
    with open(os.environ["BINDING_CONTEXT_PATH"], encoding="utf-8") as file:
        contexts = json.load(file)
    for context in contexts:
        handle(context)


if __name__ == "__main__":
    main()
`;
}

function handling(plan: HookPlan): readonly string[] {
  switch (plan.type) {
    case 'startup':
      return ['print(f"hooklet has started: {context[\'binding\']}")'];
    case 'schedule':
      return ['print(f"due at {context[\'scheduledAt\']}")'];
    case 'http':
      return ['request = context["request"]', "print(f\"{request['method']} {request['path']}\")"];
    case 'kubernetes':
      return [
        'if context["type"] == "Synchronization":',
        '    print(f"{len(context[\'objects\'])} at the start")',
        'else:',
        "    print(f\"{context['watchEvent']} {context['filterResult']['name']}\")",
      ];
    case 'reconcile':
      return [
        'name = context["object"]["metadata"]["name"]',
        '# All that should be there for the object.',
        'child = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"for": name}}',
        'with open(os.environ["RESULT_PATH"], "w", encoding="utf-8") as file:',
        '    json.dump({"children": [child]}, file)',
      ];
    case 'webhook':
      return [
        'labels = context["review"]["request"]["object"]["metadata"].get("labels", {})',
        'answer = {"allowed": True} if "owner" in labels else {"allowed": False, "message": "the label owner is missing"}',
        'with open(os.environ["ADMISSION_RESPONSE_PATH"], "w", encoding="utf-8") as file:',
        '    json.dump(answer, file)',
      ];
    default:
      return unreachable(plan);
  }
}
