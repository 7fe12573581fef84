import { createHash } from 'node:crypto';
import type { ScheduleBinding } from './binding.ts';

const SPAN = 2 ** 32;

/** By how much the ticks of a binding are put off: always the same, another for each binding; whole seconds. */
export function jitterOf(hook: string, { name, jitterMs }: Pick<ScheduleBinding, 'name' | 'jitterMs'>): number {
  if (jitterMs === 0) return 0;
  const share = createHash('sha256').update(`${hook}\0${name}`).digest().readUInt32BE() / SPAN;
  return Math.floor((share * jitterMs) / 1000) * 1000;
}
