import { createHash } from 'node:crypto';
import type { ScheduleBinding } from './binding.ts';

const SPAN = 2 ** 32;

/**
 * The delay of a binding's ticks in milliseconds, whole seconds below `jitterMs`: derived from the names of hook and
 * binding, so it never changes.
 */
export function jitterOf(hook: string, { name, jitterMs }: Pick<ScheduleBinding, 'name' | 'jitterMs'>): number {
  if (jitterMs === 0) return 0;
  const share = createHash('sha256').update(`${hook}\0${name}`).digest().readUInt32BE() / SPAN;
  return Math.floor((share * jitterMs) / 1000) * 1000;
}
