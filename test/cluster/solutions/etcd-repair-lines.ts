import { CORRUPTIONS } from './etcd-repair-corruption.ts';
import { FAILURES } from './etcd-repair-failures.ts';
import { INTERRUPTIONS } from './etcd-repair-interruptions.ts';
import type { Line } from './etcd-repair-line.ts';
import { OBSTACLES } from './etcd-repair-obstacles.ts';
import { REFUSALS } from './etcd-repair-refusals.ts';
import { SNAPSHOTS } from './etcd-repair-snapshots.ts';
import { WITNESSES } from './etcd-repair-witnesses.ts';

/** All tests of the repair; what takes longest comes first, so that the clusters of the pool end together. */
export const LINES: readonly Line[] = [
  ...WITNESSES,
  ...CORRUPTIONS,
  ...OBSTACLES,
  ...INTERRUPTIONS,
  ...FAILURES,
  ...REFUSALS,
  ...SNAPSHOTS,
];
