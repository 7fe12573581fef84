import type { Binding, Hook, KubernetesBinding, NamespaceSelector } from '../hook/binding.ts';
import { nextRun } from '../hook/crontab-next.ts';
import { discoverHooks } from '../hook/discover.ts';
import { loadHooks, type LoadOptions } from '../hook/load.ts';
import type { HookConfigError } from '../errors.ts';
import { unreachable } from '../lib/unreachable.ts';

export interface CheckOptions extends LoadOptions {
  /** Milliseconds since the epoch, for the next schedule times. */
  readonly now: () => number;
  /** Takes the report, newlines included. */
  readonly write: (text: string) => void;
}

/**
 * Checks a folder of hooks without a cluster: prints each hook with its bindings and all problems. Returns the exit code,
 * 1 when a hook is broken; rejects with `UsageError` when the folder cannot be read.
 */
export async function runCheck(directory: string, options: CheckOptions): Promise<number> {
  const { files, warnings } = await discoverHooks(directory);
  const { hooks, broken } = await loadHooks(files, options);
  const nowMs = options.now();
  for (const hook of hooks) options.write(describeHook(hook, nowMs));
  for (const { path, message } of warnings) options.write(`warning: ${path}: ${message}\n`);
  for (const error of broken) options.write(describeBroken(error));
  options.write(summary(hooks.length, broken));
  return broken.length === 0 ? 0 : 1;
}

/** A hook's name, then a line for each of its bindings. */
export function describeHook(hook: Hook, nowMs: number): string {
  const settings = Object.entries(hook.settings).map(([name, value]) => `${name} ${value}`);
  const lines = [
    ...hook.bindings.map((binding) => describeBinding(binding, nowMs)),
    ...(settings.length === 0 ? [] : [`settings ${settings.join(', ')}`]),
  ];
  return `${hook.name}${hook.type === 'warm' ? ' (warm)' : ''}\n${lines.map((line) => `  ${line}\n`).join('')}`;
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
    ...(filter === undefined ? [] : [`${filter.type}Filter ${filter.expression.replaceAll(/\s+/g, ' ').trim()}`]),
  ].join(', ');
}

function describeNamespace(namespace: NamespaceSelector | undefined): string {
  if (namespace === undefined) return 'all namespaces';
  return namespace.type === 'labels' ? 'namespaces by label' : `in ${namespace.names.join(' ')}`;
}

function describeRun({ queue, group }: { readonly queue: string; readonly group?: string }): string {
  const where = queue === 'main' ? '' : `, queue ${queue}`;
  return group === undefined ? where : `${where}, group ${group}`;
}

function describeBroken(error: HookConfigError): string {
  return `error: ${error.message}\n`;
}

function summary(valid: number, broken: readonly HookConfigError[]): string {
  const problems = broken.reduce((count, { issues }) => count + issues.length, 0);
  return broken.length === 0
    ? `${valid} hook(s), no problems\n`
    : `${valid + broken.length} hook(s), ${broken.length} broken, ${problems} problem(s)\n`;
}
