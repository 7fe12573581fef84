import { fieldsOf } from './parts.ts';
import type { Step } from './step.ts';

/** State that one run leaves to the next, as neither etcd nor Kubernetes has it; times in milliseconds since 1970. */
export interface Memory {
  /** How many attempts there were to end the alarm NOSPACE, and when the last one began. */
  readonly attempts: number;
  readonly attemptMs: number;
  readonly compactedMs: number;
  readonly disarmedMs: number;
  /** When members were defragmented, by id. */
  readonly defragmentedMs: Readonly<Record<string, number>>;
}

/** Reads the state of the last run; invalid fields count as absent. */
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

/** The state after a step, without members that are gone. */
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
