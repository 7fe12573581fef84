import { unreachable } from '../../lib/unreachable.ts';
import { configText, webhookName } from './hook-config.ts';
import type { HookPlan } from './hook-plan.ts';

/** A new hook in bash. */
export function shellHook(plan: HookPlan): string {
  return `#!/usr/bin/env bash
# ${plan.name}: say here what it does.
source "\${HOOKLET_SHELL_LIB:-/shell_lib.sh}"

function __config__() {
  cat << 'YAML'
${configText(plan)}
YAML
}

${functionsOf(plan)}
hook::run "$@"
`;
}

function functionsOf(plan: HookPlan): string {
  switch (plan.type) {
    case 'startup':
      return defined('__on_startup', ['echo "hooklet has started"']);
    case 'schedule':
      return defined(`__on_schedule::${plan.name}`, ['echo "due at $(context::get scheduledAt)"']);
    case 'http':
      return defined('__main__', ['echo "$(context::get request.method) $(context::get request.path)"']);
    case 'kubernetes': {
      const on = `__on_kubernetes::${plan.name}`;
      const count = `echo "$(context::get 'objects | length') at the start"`;
      const change = 'echo "$(context::get watchEvent) $(context::get filterResult.name)"';
      return `${defined(`${on}::synchronization`, [count])}\n${defined(on, [change])}`;
    }
    case 'reconcile':
      return defined(`__on_reconcile::${plan.name}`, [
        'local name',
        'name=$(context::get --required object.metadata.name)',
        '# All that should be there for the object.',
        `jq -n --arg name "$name" '{apiVersion: "v1", kind: "ConfigMap", metadata: {$name}, data: {for: $name}}' \\`,
        '  | hooklet::child',
      ]);
    case 'webhook':
      return defined(`__on_validating::${webhookName(plan)}`, [
        'if context::has review.request.object.metadata.labels.owner; then',
        `  echo '{"allowed": true}' > "$ADMISSION_RESPONSE_PATH"`,
        'else',
        `  echo '{"allowed": false, "message": "the label owner is missing"}' > "$ADMISSION_RESPONSE_PATH"`,
        'fi',
      ]);
    default:
      return unreachable(plan);
  }
}

function defined(name: string, lines: readonly string[]): string {
  return `function ${name}() {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}
