import { readFileSync } from 'node:fs';
import type { ContainerMemory } from '../../server/page/model.ts';

/** The files of control groups in version 2, then 1, with what says that there is no limit. */
const PLACES = [
  { used: 'memory.current', limit: 'memory.max' },
  { used: 'memory/memory.usage_in_bytes', limit: 'memory/memory.limit_in_bytes' },
];
const FOLDER = '/sys/fs/cgroup';
/** No machine has as much: version 1 writes a number like it where there is no limit. */
const NO_LIMIT_BYTES = 2 ** 60;
/** So that a page changes only when it matters. */
const STEP_BYTES = 16 * 1_048_576;

/**
 * The memory that the operator and all hooks that run now share with their limit; undefined where there is none, or
 * nobody says.
 */
export function containerMemory(folder: string = FOLDER): ContainerMemory | undefined {
  for (const place of PLACES) {
    const [usedBytes, limitBytes] = [numberIn(`${folder}/${place.used}`), numberIn(`${folder}/${place.limit}`)];
    if (usedBytes === undefined || limitBytes === undefined || limitBytes >= NO_LIMIT_BYTES) continue;
    return { usedBytes: Math.round(usedBytes / STEP_BYTES) * STEP_BYTES, limitBytes };
  }
  return undefined;
}

function numberIn(file: string): number | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return /^\d{1,19}$/.test(text) ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}
