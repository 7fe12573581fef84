import type { Hook } from '../hook/binding.ts';
import { describeBindings, describeSettings } from '../hook/describe.ts';
import { discoverHooks } from '../hook/discover.ts';
import { scheduleWarnings } from '../hook/schedule-warnings.ts';
import { loadHooks, type LoadOptions } from '../hook/load.ts';
import type { HookConfigError } from '../errors.ts';

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
  options.write(
    [
      ...hooks.map((hook) => describeHook(hook, nowMs)),
      ...warnings.map(({ path, message }) => `warning: ${path}: ${message}\n`),
      ...hooks.flatMap((hook) => scheduleWarnings(hook, nowMs).map((text) => `warning: ${hook.name}: ${text}\n`)),
      ...broken.map(({ message }) => `error: ${message}\n`),
      summary(hooks.length, broken),
    ].join(''),
  );
  return broken.length === 0 ? 0 : 1;
}

/** A hook's name, then a line for each of its bindings. */
function describeHook(hook: Hook, nowMs: number): string {
  const settings = describeSettings(hook.settings);
  const lines = [...describeBindings(hook, nowMs), ...(settings === '' ? [] : [`settings ${settings}`])];
  return `${hook.name}${hook.type === 'warm' ? ' (warm)' : ''}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function summary(valid: number, broken: readonly HookConfigError[]): string {
  const problems = broken.reduce((count, { issues }) => count + issues.length, 0);
  return broken.length === 0
    ? `${valid} hook(s), no problems\n`
    : `${valid + broken.length} hook(s), ${broken.length} broken, ${problems} problem(s)\n`;
}
