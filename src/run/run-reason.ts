import type { Task } from '../hook/task.ts';
import { groupOf } from '../hook/combine.ts';
import type { RequestSubject, Trigger } from '../hook/trigger.ts';
import { unreachable } from '../lib/unreachable.ts';

/** The name of the first trigger's binding, for logs and metrics; empty for onStartup, as in shell-operator. */
export function bindingOf({ triggers: [trigger] }: Task): string {
  return trigger.type === 'onStartup' ? '' : trigger.binding.name;
}

/** Why a run happens, as text for the log: `Added default/web, 3 more`. */
export function reasonOf({ triggers }: Task): string {
  const [first, ...others] = triggers;
  return others.length === 0 ? describe(first) : `${describe(first)}, ${others.length} more`;
}

function describe(trigger: Trigger): string {
  const group = groupOf(trigger);
  const suffix = group === undefined ? '' : ` for group ${group}`;
  switch (trigger.type) {
    case 'onStartup':
      return 'onStartup';
    case 'schedule':
      return `Schedule ${trigger.binding.crontab.source}${suffix}`;
    case 'synchronization':
      return `Synchronization${suffix}`;
    case 'ask':
      return trigger.about === undefined ? trigger.contextType : `${trigger.contextType} ${requestText(trigger.about)}`;
    case 'http':
      return `Http ${trigger.runId} of ${trigger.caller}${suffix}`;
    case 'reconcile': {
      const { namespace, name, reason } = trigger;
      return `Reconcile ${placeText(namespace, name)} (${reason})`;
    }
    case 'event': {
      const { namespace, name } = trigger.item;
      return `${trigger.watchEvent} ${placeText(namespace, name)}${suffix}`;
    }
    default:
      return unreachable(trigger);
  }
}

function requestText({ operation, kind, namespace, name }: RequestSubject): string {
  return [operation, kind, placeText(namespace, name)].filter((text) => text !== '').join(' ');
}

function placeText(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
