import { createHash } from 'node:crypto';
import { isoSeconds, type Facts } from './facts.ts';
import type { News, RepairRecord } from './record.ts';
import type { Settings } from './settings.ts';

export const EVENT_SOURCE = 'etcd-repair';

/**
 * A pending Event. Its name is derived from its repair, or from the previous state and the approximate time, so that it
 * is created only once, however often it is sent.
 */
export function newsOf(
  { statefulset }: Settings,
  facts: Facts,
  said: Pick<News, 'type' | 'reason' | 'message'>,
  about = subjectOf(facts),
): News {
  const id = [facts.objects.statefulset.uid, said.reason, facts.target?.pod, about].join(' ');
  const name = `${statefulset}.${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
  return { name, ...said, message: said.message.slice(0, 1000), at: isoSeconds(facts.nowMs) };
}

function subjectOf({ objects, record, nowMs }: Facts): string {
  if (record !== undefined) return `${record.startedAt} ${record.memberID}`;
  return `${objects.statefulset.state} ${Math.floor(nowMs / 10_000)}`;
}

/** As Kubernetes keeps it, on the StatefulSet. */
export function eventOf({ namespace, statefulset }: Settings, uid: string, { name, type, reason, message, at }: News) {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name: statefulset, uid },
    type,
    reason,
    message,
    source: { component: EVENT_SOURCE },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  };
}

/** The Pod of the leader. */
export function leaderName({ pods, leader }: Facts): string {
  return pods.find(({ member }) => member !== undefined && member.id === leader)?.pod ?? 'the leader';
}

/** For people: the replaced member, and the snapshot to go back to. */
export function startedText({ pod, memberID, since, snapshot }: RepairRecord, why: string): string {
  return `${pod} (member ${memberID}) is unhealthy since ${since} and is replaced. The snapshot before is ${snapshot}. ${pod}: ${why}`;
}
