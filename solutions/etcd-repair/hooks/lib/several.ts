import { etcdError } from './etcd.ts';
import { wellEndpoints } from './facts.ts';
import { aimedAt } from './observe.ts';
import type { RepairRecord } from './record.ts';
import { takeSnapshot } from './snapshot.ts';
import { recordOf } from './steps.ts';
import type { Repair, Turn } from './turn.ts';

/** Another voter that is lost while a member is replaced, with the facts about it. */
export function otherFailed({ facts, target, ...turn }: Repair): Turn | undefined {
  const other = facts.pods.find(
    ({ pod, member }) => pod !== target.pod && facts.failed.includes(pod) && member?.isLearner === false,
  );
  if (other === undefined) return undefined;
  return { ...turn, facts: { ...facts, ...aimedAt(turn.settings, facts.objects, other) } };
}

/** Returns the record of a repair that is planned for the target after the current one. */
export function plannedFor({ facts }: Turn): RepairRecord | undefined {
  return facts.state.next.find(({ memberID }) => memberID === facts.target?.member?.id);
}

/** Records the repair of `other`, with a snapshot of its own, before its member is removed. */
export async function planAsWell(other: Turn): Promise<void> {
  const { facts, outcome } = other;
  const snapshot = await takeSnapshot(other);
  const written = snapshot && recordOf(facts, snapshot);
  if (written === undefined) return;
  const planned = plannedFor(other);
  if (planned === undefined) outcome.countRepair();
  const { since, startedAt } = planned ?? written;
  outcome.next = [...outcome.next.filter(({ pod }) => pod !== written.pod), { ...written, since, startedAt }];
  outcome.say('is removed as well', { pod: written.pod });
}

/** The rest of its repair waits until the one that goes on has ended. */
export async function removeAsWell({ etcd, facts, outcome }: Repair, { facts: { target } }: Turn): Promise<void> {
  const pod = target?.pod ?? '';
  try {
    await etcd.removeMember(wellEndpoints(facts), target?.member?.id ?? '');
    outcome.say('removed as well', { pod });
    // Another step, so that the next run comes.
    outcome.setStep(`removed, and ${pod}`);
  } catch (error) {
    outcome.say('not removed yet', { pod, why: etcdError(error) });
  }
}
