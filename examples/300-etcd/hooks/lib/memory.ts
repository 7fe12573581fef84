import { fieldsOf } from './parts.ts';
import type { Step } from './step.ts';

/** What one run leaves to the next, in milliseconds since 1970, as neither etcd nor Kubernetes can tell it. */
export interface Memory {
  /** How many attempts there were to end the alarm NOSPACE, and when the last one began. */
  readonly attempts: number;
  readonly attemptMs: number;
  readonly compactedMs: number;
  readonly disarmedMs: number;
  /** When members were defragmented, by id. */
  readonly defragmentedMs: Readonly<Record<string, number>>;
}

/** What was kept; whatever is not right in it counts as nothing. */
export function memoryIn(kept: unknown): Memory {
  const { defragmentedMs, ...rest } = fieldsOf(kept);
  const times = Object.entries(fieldsOf(defragmentedMs)).map(([id, value]) => [id, numberIn(value)]);
  return {
    attempts: numberIn(rest['attempts']),
    attemptMs: numberIn(rest['attemptMs']),
    compactedMs: numberIn(rest['compactedMs']),
    disarmedMs: numberIn(rest['disarmedMs']),
    defragmentedMs: Object.fromEntries(times),
  };
}

/** What is kept after a step; of members that are gone nothing. */
export function memoryAfter(memory: Memory, step: Step, { nowMs, ids }: MemoryAt): Memory {
  if (step.do === 'recover') return { ...memory, attempts: step.attempt, attemptMs: nowMs };
  if (step.do === 'compact') return { ...memory, compactedMs: nowMs };
  if (step.do === 'disarm') return { ...memory, disarmedMs: nowMs };
  if (step.do !== 'defragment') return memory;
  const known = Object.entries(memory.defragmentedMs).filter(([id]) => ids.includes(id));
  return { ...memory, defragmentedMs: { ...Object.fromEntries(known), [step.id]: nowMs } };
}

interface MemoryAt {
  readonly nowMs: number;
  /** Of the members that there are. */
  readonly ids: readonly string[];
}

function numberIn(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
