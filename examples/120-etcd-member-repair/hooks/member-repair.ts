// Replaces a member of an etcd StatefulSet that stays down. Each run observes, refuses or does one step, and records.
import { reconcile, type KubernetesObject, type Patch, type ReconcileAnswer } from 'hooklet';
import { etcdctl, membersOf, type Member } from './lib/etcd.ts';

const { POD_NAMESPACE = 'default', ETCD_STATEFULSET = 'etcd', REPAIR_AFTER_SECONDS = '900' } = process.env;
const patienceMs = 1000 * Number(REPAIR_AFTER_SECONDS);
if (!(patienceMs > 0)) throw new Error(`REPAIR_AFTER_SECONDS is "${REPAIR_AFTER_SECONDS}", expected a number above 0`);

interface StatefulSet extends KubernetesObject {
  readonly spec: { readonly replicas: number; readonly serviceName: string };
}

/** A Pod or a claim. */
type Thing = { readonly kind: string; readonly name: string; readonly uid: string; readonly ready: boolean };

/** Since when a member is down; from the beginning of its repair also what is replaced, by ids that never come back. */
interface Decision {
  readonly pod: string;
  readonly since: string;
  readonly repair?: Repair;
}

type Repair = { readonly member: string; readonly uids: readonly string[] };

/** What is seen of the one member that is down, or under repair. */
interface Seen {
  readonly pod: string;
  readonly isWell: boolean;
  readonly things: readonly Thing[];
  readonly members: readonly Member[];
  readonly endpoints: readonly string[];
  readonly peerUrl: string;
}

const here = { namespace: { nameSelector: { matchNames: [POD_NAMESPACE] } } };
const watch = (name: string, kind: string, jqFilter: string) => ({
  ...here,
  name,
  apiVersion: 'v1',
  kind,
  jqFilter,
  for: `"${ETCD_STATEFULSET}"`,
});
const THING = `{kind, name: .metadata.name, uid: .metadata.uid,
  ready: any(.status.conditions[]?; .type == "Ready" and .status == "True")}`;

export default reconcile<StatefulSet, { pods: Thing; claims: Thing; marker: string | null }>(
  {
    ...here,
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    resyncPeriod: '15s',
    nameSelector: { matchNames: [ETCD_STATEFULSET] },
    watches: [
      watch('pods', 'Pod', THING),
      watch('claims', 'PersistentVolumeClaim', THING),
      { ...watch('marker', 'ConfigMap', '.data.state'), nameSelector: { matchNames: ['etcd-cluster'] } },
    ],
  },
  async ({ object, watched, state, patch }) => {
    const { replicas, serviceName } = object.spec;
    const urlOf = (name: string, port: number) => `http://${name}.${serviceName}.${POD_NAMESPACE}.svc:${port}`;
    const names = Array.from({ length: replicas }, (_, at) => `${ETCD_STATEFULSET}-${at}`);
    // Asked of each anew, as only one with quorum says so: the record knows what was decided, never what is true.
    const health = names.map(async (name) => etcdctl([urlOf(name, 2379)], 'endpoint', 'health'));
    const answers = await Promise.allSettled(health);
    const well = names.filter((_, at) => answers[at]?.status === 'fulfilled');
    const down = names.filter((name) => !well.includes(name));
    const decision = isDecision(state) ? state : undefined;
    const pod = decision?.repair === undefined ? down[0] : decision.pod;
    if (pod === undefined) return allWell(watched.marker[0], patch);
    const told = `Of ${replicas} members ${well.join(', ') || 'none'} answered`;
    if (well.length <= replicas / 2) return refuse('QuorumLost', `${told}. Bring others back, or restore a backup.`);
    if (down.some((name) => name !== pod)) return refuse('SeveralMembersDown', `${told}. Bring all but one back.`);
    const things = [...watched.claims, ...watched.pods].filter(({ name }) => name === pod || name.endsWith(`-${pod}`));
    const endpoints = well.map((name) => urlOf(name, 2379));
    const members = await membersOf(endpoints);
    const seen = { pod, isWell: well.includes(pod), things, members, endpoints, peerUrl: urlOf(pod, 2380) };
    return decision?.repair === undefined ? decide(seen, decision) : nextStep(seen, decision.repair, patch);
  },
);

/** From now on no member with an empty disk founds a cluster of its own. */
function allWell(marker: string | null | undefined, patch: Patch): ReconcileAnswer {
  const target = { apiVersion: 'v1', kind: 'ConfigMap', namespace: POD_NAMESPACE, name: 'etcd-cluster' };
  if (marker !== 'existing') patch.merge(target, { data: { state: 'existing' } });
  return { state: null };
}

/** Waits, and then decides which member is replaced: that is written down before anything is done. */
function decide({ pod, things, members, peerUrl }: Seen, decision: Decision | undefined): ReconcileAnswer {
  const member = members.find((one) => one.peerUrl === peerUrl);
  if (member === undefined) return refuse('MembershipMismatch', `etcd lists no ${peerUrl}. Add it as a member.`);
  if (things.some(({ ready }) => ready)) return refuse('SeenByOthers', `${pod} is Ready. Look at the network to it.`);
  if (decision?.pod !== pod) return { state: { pod, since: new Date().toISOString() } };
  const restMs = Date.parse(decision.since) + patienceMs - Date.now();
  if (restMs > 0) return { retryAfter: `${Math.ceil(restMs / 1000)}s` };
  const repair = { member: member.id, uids: things.map(({ uid }) => uid) };
  return {
    state: { ...decision, repair },
    ...tell('RepairStarted', `${pod} is down since ${decision.since}.`, repair),
  };
}

/** Does the first step that is not done; only what it destroys is known from the record, by its ids. */
async function nextStep(seen: Seen, repair: Repair, patch: Patch): Promise<ReconcileAnswer> {
  const { pod, isWell, things, members, endpoints, peerUrl } = seen;
  const old = members.find(({ id }) => id === repair.member);
  const member = members.find((one) => one.peerUrl === peerUrl);
  if (old !== undefined && isWell) return { state: null, ...tell('Recovered', `${pod} is well, and stays.`, repair) };
  if (old !== undefined) await etcdctl(endpoints, 'member', 'remove', old.id);
  else if (things.some(({ uid }) => repair.uids.includes(uid))) {
    // The claim comes first, and a newer Pod goes with the old claim, which it would keep.
    for (const { kind, name, uid } of things)
      patch.deleteInBackground({ kind, namespace: POD_NAMESPACE, name }, { preconditions: { uid } });
  } else if (member === undefined) await etcdctl(endpoints, 'member', 'add', pod, '--learner', '--peer-urls', peerUrl);
  // Refused until the learner has what the leader has.
  else if (member.isLearner) await etcdctl(endpoints, 'member', 'promote', member.id).catch(() => undefined);
  else if (isWell) return { state: null, ...tell('Repaired', `${pod} is a new member of etcd.`, repair) };
  return { retryAfter: '2s' };
}

const isDecision = (state: unknown): state is Decision => typeof state === 'object' && state !== null && 'pod' in state;
const refuse = (reason: string, message: string): ReconcileAnswer => ({ refused: { reason, message } });
const tell = (reason: string, message: string, { member }: Repair): ReconcileAnswer => ({
  events: [{ type: 'Normal', reason, message, once: `${reason} ${member}` }],
});
