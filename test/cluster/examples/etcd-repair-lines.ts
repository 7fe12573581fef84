import { FAILURES } from './etcd-repair-failures.ts';
import { INTERRUPTIONS } from './etcd-repair-interruptions.ts';
import type { Line } from './etcd-repair-line.ts';
import { REFUSALS } from './etcd-repair-refusals.ts';

/** All that must come out right. */
export const LINES: readonly Line[] = [...FAILURES, ...INTERRUPTIONS, ...REFUSALS];
