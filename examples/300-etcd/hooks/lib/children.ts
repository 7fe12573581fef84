import type { NewObject } from 'hooklet';
import { CLIENT_PORT, memberNumber, peerUrl, PEER_PORT } from './cluster.ts';
import { asGiven, claimName, CLUSTER_LABEL, memberSet } from './form.ts';
import type { Member, MemberParts, Observed, Wanted } from './observed.ts';
import { restoreJobOf } from './restore-job.ts';
import type { Step } from './step.ts';
import { secretsOf } from './tls/secrets.ts';

/** For a member that has data: etcd ignores this then, but with an empty disk refuses to start. */
const SEALED = { ETCD_INITIAL_CLUSTER: 'sealed=http://sealed.invalid:2380', ETCD_INITIAL_CLUSTER_STATE: 'existing' };

/** All objects of a cluster. A member keeps the StatefulSet that it was given, until a step is about it. */
export function childrenOf(observed: Observed, wanted: Wanted, step: Step): readonly NewObject[] {
  const { cluster } = observed;
  const labels = { [CLUSTER_LABEL]: cluster.name };
  const own = wantedMembers(observed, step).flatMap((member) => memberObjects(observed, wanted, { member, step }));
  return [
    service(cluster.name, labels, {
      clusterIP: 'None',
      // Members find each other before they are ready.
      publishNotReadyAddresses: true,
      ports: [
        { name: 'client', port: CLIENT_PORT },
        { name: 'peer', port: PEER_PORT },
      ],
    }),
    service(`${cluster.name}-client`, labels, { ports: [{ name: 'client', port: CLIENT_PORT }] }),
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: cluster.name, labels },
      spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    },
    ...secretsOf(observed, wanted, step),
    ...own,
    ...restoreJob(observed, wanted, step),
  ];
}

function service(name: string, labels: Readonly<Record<string, string>>, spec: object): NewObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, labels }, spec: { selector: labels, ...spec } };
}

/** The members in the member list; without quorum, those that have objects. */
function wantedMembers({ cluster, members, parts }: Observed, step: Step): readonly string[] {
  const names = (members ?? parts).map(({ name }) => name);
  const isFirst = step.do === 'found' || step.do === 'restore';
  const all = isFirst ? [...new Set([...names, step.member])] : names;
  return all.filter((name) => memberNumber(cluster, name) !== undefined);
}

interface About {
  readonly member: string;
  readonly step: Step;
}

function memberObjects(observed: Observed, wanted: Wanted, { member, step }: About): readonly NewObject[] {
  const { cluster, parts } = observed;
  const { spec } = wanted;
  const labels = { [CLUSTER_LABEL]: cluster.name };
  const there = parts.find(({ name }) => name === member);
  const listed = observed.members?.find(({ name }) => name === member);
  const { size, storageClassName } = spec.storage;
  const { data } = startOf(observed, member, { there, isRestored: spec.restore !== undefined });
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: member, labels }, data },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: claimName(member), labels },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: size } },
        ...(storageClassName !== undefined && { storageClassName }),
      },
    },
    ...(there?.set === undefined && !mayStart(observed, { member, step }, there)
      ? []
      : [setOf(observed, { wanted, there, isFree: isFree(step, member, listed) }, member)]),
  ];
}

/** Whether a member may get its first StatefulSet. Its Pod waits for its certificates, and mounts no claim of others. */
function mayStart(observed: Observed, { member, step }: About, there: MemberParts | undefined): boolean {
  const { tls } = observed;
  if (there?.claim === undefined) return false;
  if (tls !== undefined && !tls.held.members.has(member)) return false;
  return step.do !== 'restore' && step.do !== 'certify' && !isRestoring(observed, step);
}

/** Whether a member may get another StatefulSet: it is its turn, or it has no data yet. */
function isFree(step: Step, member: string, listed: Member | undefined): boolean {
  return (step.do === 'roll' && step.member === member) || listed?.isStarted === false;
}

/** Until the Job is done, no other Pod may have the volume. */
function isRestoring({ restoring, clusterId }: Observed, step: Step): boolean {
  return clusterId === undefined && restoring !== 'none' && step.do !== 'found';
}

/** The Job stays until the cluster has answered. */
function restoreJob(
  { cluster, uid, clusterId, restoreGiven, parts }: Observed,
  { spec }: Wanted,
  step: Step,
): readonly NewObject[] {
  if (clusterId !== undefined) return [];
  if (step.do === 'restore') {
    const isClaimed = parts.some(({ name, claim }) => name === step.member && claim !== undefined);
    return isClaimed ? [restoreJobOf(cluster, uid, spec)] : [];
  }
  return restoreGiven === undefined ? [] : [asGiven(restoreGiven)];
}

interface SetChoice {
  readonly wanted: Wanted;
  readonly there: MemberParts | undefined;
  readonly isFree: boolean;
}

function setOf({ cluster }: Observed, { wanted, there, isFree: free }: SetChoice, member: string): NewObject {
  const given = there?.set?.given;
  if (free || given === undefined) return memberSet(cluster, member, wanted);
  return asGiven(given);
}

interface Start {
  readonly there: MemberParts | undefined;
  readonly isRestored: boolean;
}

/** The variables of a member: the first one founds a cluster, an added one joins, and all others are sealed. */
function startOf({ cluster, uid, members, clusterId }: Observed, member: string, { there, isRestored }: Start) {
  const token = { ETCD_INITIAL_CLUSTER_TOKEN: uid };
  const listed = members?.find(({ name }) => name === member);
  if (listed?.isStarted === false) {
    const list = (members ?? []).map(({ name }) => `${name}=${peerUrl(cluster, name)}`).join(',');
    return { data: { ...token, ETCD_INITIAL_CLUSTER: list, ETCD_INITIAL_CLUSTER_STATE: 'existing' } };
  }
  if (listed !== undefined) return { data: { ...token, ...SEALED } };
  if (there?.start !== undefined) return { data: there.start };
  // The volume of a restored member has data already.
  if (clusterId !== undefined || isRestored) return { data: { ...token, ...SEALED } };
  const alone = `${member}=${peerUrl(cluster, member)}`;
  return { data: { ...token, ETCD_INITIAL_CLUSTER: alone, ETCD_INITIAL_CLUSTER_STATE: 'new' } };
}
