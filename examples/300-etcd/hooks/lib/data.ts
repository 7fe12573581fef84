import { clientUrl } from './cluster.ts';
import type { EtcdPort } from './etcd-port.ts';
import { compareVoters, tableOf } from './etcd-repair/hashes.ts';
import { judgeData } from './etcd-repair/same-data.ts';
import type { Observed } from './observed.ts';
import { wait, type Step } from './step.ts';

/** Within this the signal ends a comparison that hangs. */
const COMPARE_MS = 120_000;

/**
 * Why no member may be removed and no alarm lifted: the members that stay hold different data, or that is not known, so
 * wrong data could replace right data. Undefined if they hold the same.
 */
export async function dataProblem(member: string, observed: Observed, etcd: EtcdPort): Promise<Step | undefined> {
  const { cluster, members = [], alarms } = observed;
  const pods = members.map((one) => ({
    pod: one.name,
    endpoint: clientUrl(cluster, one.name),
    member: one,
    status: one.isHealthy ? { memberId: one.id } : undefined,
    error: 'it does not answer',
  }));
  const facts = { pods, leader: members.find(({ isLeader }) => isLeader)?.id ?? '' };
  const signal = AbortSignal.timeout(COMPARE_MS);
  const asked = {
    status: async (endpoint: string) => etcd.status(endpoint),
    hashAt: async (endpoint: string, revision: number) => etcd.hashAt(endpoint, revision),
    signal,
  };
  const comparison = await compareVoters({ etcd: asked, facts });
  const isAccused = members.some(({ name, id }) => name === member && alarms.corrupt.includes(id));
  const voters = members.filter(({ isLearner }) => !isLearner).length;
  const question = { comparison, facts, voters, leaving: member };
  const table = `at revision ${comparison.revision} ${tableOf(comparison)}`;
  switch (judgeData({ ...question, ...(isAccused && { accused: member }) })) {
    case 'same':
      return undefined;
    case 'different':
      return wait(
        'HashesDiffer',
        `the members do not hold the same data: ${table}. None is removed, as nothing tells from here which is right: take a snapshot of each, find out, and remove the wrong one with etcdctl member remove`,
      );
    case 'unknown':
      return wait(
        'HashesUnknown',
        `whether the members hold the same data cannot be told, so none is removed: ${table}`,
      );
    case 'unfounded':
      return wait(
        'CorruptUnfounded',
        `the alarm CORRUPT is about ${member}, but all members hold the same data: ${table}. If that is still so, lift it with etcdctl alarm disarm`,
      );
  }
}

/** Why a member that does not answer this operator is not replaced: the leader hears it, or cannot be asked. */
export async function seenProblem(member: string, observed: Observed, etcd: EtcdPort): Promise<Step | undefined> {
  const { cluster, members = [] } = observed;
  const pods = members.map((one) => ({
    pod: one.name,
    member: { id: one.id },
    endpoint: clientUrl(cluster, one.name),
    answers: one.isHealthy && !one.isLearner,
  }));
  const target = pods.find(({ pod }) => pod === member);
  if (target === undefined) return undefined;
  const leader = members.find(({ isLeader }) => isLeader)?.id ?? '';
  const { isSeen, said } = await etcd.peersView({ pods, leader }, target);
  if (isSeen === false) return undefined;
  if (isSeen === undefined) {
    return wait('WitnessUnknown', `${member} does not answer, and whether other members hear it is not known: ${said}`);
  }
  return wait(
    'SeenByOthers',
    `${member} does not answer this operator, but the others hear it (${said}), so it is not replaced: look at NetworkPolicies and routes between them`,
  );
}
