import type { Facts } from './facts.ts';
import { compareVoters, tableOf, type Comparison } from './hashes.ts';
import { voterCount } from './quorum.ts';
import { judgeData, type DataQuestion } from './same-data.ts';
import type { Turn } from './turn.ts';

/** What is refused because of hashes, as long as it lasts. */
export const DATA_REASONS = ['HashesDiffer', 'HashesUnknown', 'CorruptUnfounded', 'CorruptUnknown'];
const COMPARE_AGAIN_MS = 300_000;
const BY_HAND =
  'Take a snapshot of each member and find out which is right, by what is in them or by a backup; the README says how to go on.';

/**
 * No member is removed or added, and no repair is completed, before the remaining members are known to hold the same
 * data: otherwise wrong data of one could replace correct data of another. A recent comparison counts, unless a new one
 * is required.
 */
export async function guardSameData(turn: Turn, { isNow = false } = {}): Promise<boolean> {
  if (isComparedLately(turn)) return turn.outcome.refuseAgain();
  const voters = votersToAgree(turn);
  if (!isNow && isSameLately(turn, voters)) return true;
  if (!guardComparison(turn, await compareVoters(turn))) return false;
  turn.outcome.noteSame(voters);
  return true;
}

function guardComparison(turn: Turn, comparison: Comparison): boolean {
  const { facts, outcome } = turn;
  switch (judgeData({ comparison, facts, voters: voterCount(facts), ...suspicionOf(facts) })) {
    case 'same':
      return true;
    case 'unknown':
      return cannotCompare(turn, comparison);
    case 'different':
      return outcome.refuseData('HashesDiffer', differing(turn, comparison));
    case 'unfounded':
      return outcome.refuseData(
        'CorruptUnfounded',
        `The alarm CORRUPT is about ${facts.target?.pod}, but all members hold the same data: at revision ${comparison.revision} ${tableOf(comparison)}. Nobody is removed. If that is still so, lift it: etcdctl alarm disarm.`,
      );
  }
}

function suspicionOf({ target, alarms }: Facts): Pick<DataQuestion, 'leaving' | 'accused'> {
  if (target === undefined) return {};
  const isAccused = alarms.corrupt.includes(target.member?.id ?? '');
  return { ...(!target.isWell && { leaving: target.pod }), ...(isAccused && { accused: target.pod }) };
}

function votersToAgree({ facts: { pods, target } }: Turn): readonly string[] {
  return pods
    .filter(({ pod, status, isWell }) => status !== undefined && (isWell || pod !== target?.pod))
    .map(({ member }) => member)
    .filter((member) => member?.isLearner === false)
    .map((member) => member?.id ?? '')
    .toSorted();
}

/** The very same members, and none of them accused. */
function isSameLately({ settings, facts }: Turn, voters: readonly string[]): boolean {
  const { same } = facts.state;
  if (same === undefined || facts.alarms.corrupt.length > 0) return false;
  const againMs = Math.min(settings.repairAfterMs, COMPARE_AGAIN_MS);
  return same.voters.join(' ') === voters.join(' ') && Date.parse(same.at) + againMs > facts.nowMs;
}

/**
 * The alarm CORRUPT names a member that differs from the leader, which may itself be wrong; it waits like any failure.
 */
export async function guardAccused(turn: Turn): Promise<boolean> {
  if (!(await guardNamed(turn))) return false;
  const { facts, outcome, settings } = turn;
  const { target, failed, alarms } = facts;
  if (target?.member === undefined || !alarms.corrupt.includes(target.member.id)) return true;
  if (failed.includes(target.pod)) return true;
  if (facts.state.told === 'CorruptAlarm') return outcome.refuseAgain();
  if (!(await guardSameData(turn))) return false;
  const what = target.status === undefined ? 'does not answer' : 'holds other data than all others';
  return outcome.refuse(
    'CorruptAlarm',
    `The alarm CORRUPT is about ${target.pod}, which ${what}; they hold the same. etcd takes no writes as long as it stands. ${target.pod} is replaced when that is so for ${settings.repairAfterMs / 1000}s (REPAIR_AFTER_SECONDS).`,
  );
}

/** Refuses alarms about several members, and one about an unknown member. */
export async function guardNamed(turn: Turn): Promise<boolean> {
  const { facts, outcome } = turn;
  const { corrupt } = facts.alarms;
  const known = [...(facts.members ?? []).map(({ id }) => id), facts.record?.memberID];
  if (corrupt.length <= 1 && corrupt.every((id) => known.includes(id))) return true;
  if (isComparedLately(turn)) return outcome.refuseAgain();
  const comparison = await compareVoters(turn);
  return outcome.refuseData(
    'CorruptUnknown',
    `The alarm CORRUPT is about no member or about several (${corrupt.join(' ')}), so nobody is removed. At revision ${comparison.revision} ${tableOf(comparison)}. ${BY_HAND} Then etcdctl alarm disarm.`,
  );
}

function isComparedLately({ settings, facts }: Turn): boolean {
  const { told, comparedAt } = facts.state;
  const againMs = Math.min(settings.repairAfterMs, COMPARE_AGAIN_MS);
  return DATA_REASONS.includes(told) && Date.parse(comparedAt) + againMs > facts.nowMs;
}

/** A member may be behind for a moment; no answer is no answer. */
function cannotCompare(turn: Turn, comparison: Comparison): false {
  const { settings, facts, outcome } = turn;
  const { record, target } = facts;
  const sinceMs = Date.parse(record?.stepAt ?? facts.unhealthySince[target?.pod ?? ''] ?? '');
  const waitMs = record === undefined ? 2 * settings.repairAfterMs : settings.joinWithinMs;
  const table = tableOf(comparison);
  if (!(facts.nowMs - sinceMs > waitMs)) return outcome.waitForNews('the hashes cannot be compared yet', { table });
  return outcome.refuseData(
    'HashesUnknown',
    `Whether the members hold the same data cannot be told, so nobody is removed or added: at revision ${comparison.revision} ${table}. Raise ETCD_HASH_TIMEOUT_SECONDS where it takes longer, and look at the members that gave none.`,
  );
}

function differing({ facts }: Turn, comparison: Comparison): string {
  const corrupt = facts.pods.filter(({ member }) => facts.alarms.corrupt.includes(member?.id ?? ''));
  const hashOf = (name: string): number | undefined => comparison.voters.find(({ pod }) => pod === name)?.hash;
  const copies = Object.entries(facts.state.copies)
    .filter(([pod, { from }]) => hashOf(pod) !== undefined && hashOf(pod) === hashOf(from))
    .map(
      ([pod, { from, at }]) => ` That ${pod} agrees with ${from} proves nothing: it was given its data by it at ${at}.`,
    );
  const alarm = corrupt.map(({ pod }) => ` The alarm CORRUPT is about ${pod}, which may be wrong.`);
  return `At revision ${comparison.revision} the members do not hold the same data: ${tableOf(comparison)}.${copies.join('')}${alarm.join('')} Nobody is removed or added, as nobody can tell from here who is right. ${BY_HAND}`;
}
