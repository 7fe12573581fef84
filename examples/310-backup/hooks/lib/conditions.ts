import type { ConditionToSet } from 'hooklet';
import type { Attempt } from './attempt.ts';
import type { Backup } from './spec.ts';
import type { Standing } from './status.ts';

/** The conditions; `Ready` is hooklet's, by the children, unless something is wrong. */
export function conditionsOf(backup: Backup, standing: Standing): readonly ConditionToSet[] {
  const { backup: last, success, drill } = standing;
  const problem = problemOf(last) ?? problemOf(drill);
  return [
    ...(problem === undefined ? [] : [{ type: 'Ready', status: 'False', ...why(problem) } as const]),
    backedUp(last, success),
    verified(success),
    drilled(backup, drill),
  ];
}

/** An attempt with which something is wrong, also one that is not over. */
export function problemOf(attempt: Attempt | undefined): Attempt | undefined {
  return attempt !== undefined && attempt.outcome !== 'Succeeded' && attempt.reason !== '' ? attempt : undefined;
}

function why({ reason, message, task }: Attempt): { readonly reason: string; readonly message: string } {
  return { reason, message: task === 'drill' ? `the drill: ${message}` : message };
}

function backedUp(last: Attempt | undefined, success: Attempt | undefined): ConditionToSet {
  const type = 'BackedUp';
  const problem = problemOf(last);
  if (problem !== undefined) return { type, status: 'False', ...why(problem) };
  if (success === undefined)
    return { type, status: 'Unknown', reason: 'NoBackupYet', message: 'no backup was made so far' };
  return { type, status: 'True', reason: 'Succeeded', message: success.done?.backup ?? '' };
}

function verified(success: Attempt | undefined): ConditionToSet {
  const type = 'Verified';
  const { verified: how = '', backup = '' } = success?.done ?? {};
  if (success === undefined)
    return { type, status: 'Unknown', reason: 'NoBackupYet', message: 'no backup was made so far' };
  if (how === 'yes')
    return { type, status: 'True', reason: 'Restored', message: `${backup} was restored and compared` };
  if (how === 'read') return { type, status: 'True', reason: 'Read', message: `${backup} was read, and not restored` };
  return { type, status: 'False', reason: 'NotVerified', message: `${backup} was stored as it came` };
}

function drilled({ spec }: Backup, drill: Attempt | undefined): ConditionToSet {
  const type = 'Drilled';
  if (spec.drill === undefined)
    return { type, status: 'Unknown', reason: 'NoDrill', message: 'spec.drill is not given' };
  const problem = problemOf(drill);
  if (problem !== undefined) return { type, status: 'False', reason: problem.reason, message: problem.message };
  if (drill?.outcome !== 'Succeeded')
    return { type, status: 'Unknown', reason: 'NoDrillYet', message: 'no drill was made so far' };
  return { type, status: 'True', reason: 'Succeeded', message: drill.message };
}
