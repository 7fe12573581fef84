import { handOver } from './hand-over.ts';
import type { Member, Observed, Wanted } from './observed.ts';
import { bytesOf } from './quantity.ts';
import { wait, type Step } from './step.ts';

/** Defaults of `spec.defragment`. */
export const DEFAULT_FREE_PERCENT = 50;
export const DEFAULT_LEAST = '100Mi';
/** Attempts to end the alarm NOSPACE, before an hour without any. */
const MOST_ATTEMPTS = 3;
const HOUR_MS = 3_600_000;

/**
 * The step that ends the alarm NOSPACE: an attempt is recorded first, then old revisions are compacted, members are
 * defragmented one at a time, the leader last, and the alarm is disarmed.
 */
export function spaceStep(observed: Observed, { spec, form }: Wanted, members: readonly Member[]): Step | undefined {
  const { alarms, memory, nowMs, parts } = observed;
  const [first = ''] = alarms.noSpace;
  if (first === '') return undefined;
  // A roll is due, and may bring the larger quota that ends the alarm.
  const mayBeMended = parts.some(({ set }) => set !== undefined && set.form !== form);
  const told = (reason: string, message: string): Step | undefined => (mayBeMended ? undefined : wait(reason, message));
  if (spec.onNoSpace === 'Tell') {
    return told('NoSpace', `the alarm NOSPACE is raised, and spec.onNoSpace is Tell: ${WHAT_TO_DO}`);
  }
  const member = members.find(({ id }) => id === first)?.name ?? first;
  const isFresh = nowMs - memory.attemptMs > HOUR_MS;
  if (isFresh) return { do: 'recover', member, attempt: 1 };
  if (memory.disarmedMs < memory.attemptMs) return attemptStep(observed, members, member);
  if (memory.attempts < MOST_ATTEMPTS) return { do: 'recover', member, attempt: memory.attempts + 1 };
  return told('NoSpaceAgain', `the alarm NOSPACE came back after ${MOST_ATTEMPTS} attempts: ${WHAT_TO_DO}`);
}

const WHAT_TO_DO = 'raise spec.options.quotaBackendBytes, or delete keys, which etcd still allows';

function attemptStep({ memory }: Observed, members: readonly Member[], member: string): Step {
  if (memory.compactedMs < memory.attemptMs) {
    const revision = Math.max(...members.map((one) => one.revision));
    return { do: 'compact', member, revision };
  }
  const due = members.filter((one) => one.isHealthy && (memory.defragmentedMs[one.id] ?? 0) < memory.attemptMs);
  return leaderLast(members, due, 'the alarm NOSPACE is raised') ?? { do: 'disarm', member };
}

/** Frees the unused part of a member's file, one member at a time, the leader last; at most once an hour each. */
export function defragmentStep(observed: Observed, { spec }: Wanted, members: readonly Member[]): Step | undefined {
  const { freePercent = DEFAULT_FREE_PERCENT, least = DEFAULT_LEAST } = spec.defragment ?? {};
  const due = members.filter(({ id, databaseBytes: all, databaseBytesInUse: used }) => {
    const isLately = observed.nowMs - (observed.memory.defragmentedMs[id] ?? 0) < HOUR_MS;
    return !isLately && all >= (bytesOf(least) ?? 0) && (all - used) * 100 >= all * freePercent;
  });
  return leaderLast(members, due, `${freePercent} % of its file are free`);
}

function leaderLast(members: readonly Member[], due: readonly Member[], why: string): Step | undefined {
  const [member] = due.toSorted((a, b) => Number(a.isLeader) - Number(b.isLeader));
  if (member === undefined) return undefined;
  return handOver(members, member) ?? { do: 'defragment', member: member.name, id: member.id, why };
}
