import { unreachable } from '../lib/unreachable.ts';
import type { Binding, Hook, KubernetesBinding, NamespaceSelector } from './binding.ts';
import { nextRun } from './crontab-next.ts';

const MAX_EXPRESSION = 60;

/** A line for each binding of a hook, schedules with their next run after `nowMs`. */
export function describeBindings(hook: Hook, nowMs: number): readonly string[] {
  return hook.bindings.map((binding) => describeBinding(binding, nowMs));
}

function describeBinding(binding: Binding, nowMs: number): string {
  switch (binding.type) {
    case 'onStartup':
      return `onStartup ${binding.order}`;
    case 'schedule': {
      const next = new Date(nextRun(binding.crontab, nowMs)).toISOString();
      return `schedule ${binding.name}: "${binding.crontab.source}", next ${next}${describeRun(binding)}`;
    }
    case 'kubernetes':
      return `kubernetes ${binding.name}: ${describeWatch(binding)}${describeRun(binding)}`;
    default:
      return unreachable(binding);
  }
}

function describeWatch(binding: KubernetesBinding): string {
  const { apiVersion, kind, names, executeHookOnEvent, filter } = binding;
  const events = executeHookOnEvent.length === 0 ? 'no events' : executeHookOnEvent.join(' ');
  return [
    `${apiVersion === undefined ? '' : `${apiVersion} `}${kind}${names === undefined ? '' : ` ${names.join(' ')}`}`,
    describeNamespace(binding.namespace),
    ...(binding.labelSelector === undefined ? [] : ['by label']),
    ...(binding.fieldSelector === undefined ? [] : ['by field']),
    events,
    ...(filter === undefined ? [] : [`${filter.type}Filter ${shorten(filter.expression)}`]),
  ].join(', ');
}

function shorten(expression: string): string {
  const line = expression.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_EXPRESSION ? `${line.slice(0, MAX_EXPRESSION)}…` : line;
}

function describeNamespace(namespace: NamespaceSelector | undefined): string {
  if (namespace === undefined) return 'all namespaces';
  return namespace.type === 'labels' ? 'namespaces by label' : `in ${namespace.names.join(' ')}`;
}

function describeRun({ queue, group }: { readonly queue: string; readonly group?: string }): string {
  const where = queue === 'main' ? '' : `, queue ${queue}`;
  return group === undefined ? where : `${where}, group ${group}`;
}
