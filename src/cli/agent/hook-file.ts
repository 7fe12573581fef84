import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { Hook } from '../../hook/binding.ts';
import type { RemoteRun } from '../../hook/remote-run.ts';
import { messageOf } from '../../lib/message-of.ts';
import { shown } from '../../lib/shown.ts';

/** Where a Pod has its hooks. */
export interface HookPlace {
  readonly hooksDir: string;
  /** What the Pod is, for people. */
  readonly pod: 'Job' | 'worker';
}

/** Why the file of the hook must not be run; undefined where it is the one that the operator has. */
export async function flawOfHook({ hooksDir, pod }: HookPlace, run: RemoteRun): Promise<string | undefined> {
  const { hook, hookHash } = run;
  const path = pathOf(hooksDir, hook);
  if (path === undefined) return `the hook ${shown(hook)} is not in the folder ${hooksDir} of the ${pod}`;
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    return `the image of the ${pod} has no hook ${hook} in ${hooksDir} (${messageOf(error)}): it must have the hooks of the operator's image`;
  }
  const hash = createHash('sha256').update(bytes).digest('hex');
  if (hash === hookHash) return undefined;
  return `the image of the ${pod} has another version of the hook ${hook} than the operator's (SHA-256 ${hash}, expected ${hookHash}): both must be built from the same hooks`;
}

function pathOf(hooksDir: string, hook: string): string | undefined {
  const folder = resolve(hooksDir);
  const path = resolve(folder, hook);
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`) ? path : undefined;
}

/** What of a hook matters to its execution. */
export function hookOf(hooksDir: string, { hook: name, type, timeoutMs, outcome }: RemoteRun): Hook {
  const settings = { ...(timeoutMs !== undefined && { timeoutMs }), ...(outcome && { outcome }) };
  return { name, path: resolve(hooksDir, name), type, bindings: [], settings };
}
