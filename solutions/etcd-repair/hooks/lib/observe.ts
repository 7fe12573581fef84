import type { Etcd } from './etcd.ts';
import { isoSeconds, type ClusterObjects, type Facts } from './facts.ts';
import { readState } from './record.ts';
import type { Settings } from './settings.ts';
import { unasked, viewOf, type PodMember, type Seat } from './view.ts';

/** Collects the facts: about Kubernetes from the snapshots of the run, about etcd with requests. */
export async function observe(settings: Settings, etcd: Etcd, objects: ClusterObjects): Promise<Facts> {
  const nowMs = Date.now();
  const { statefulset } = objects;
  const state = readState(statefulset.state, nowMs);
  const names = Array.from({ length: statefulset.replicas }, (_, at) => `${settings.statefulset}-${at}`);
  const seatOf = seats(settings, statefulset.service);
  const view = await viewOf(etcd, names.map(seatOf));
  const { pods, members, alarms, leader } = view;
  const since = pods
    .filter(({ isWell }) => !isWell)
    .map(({ pod }) => [pod, state.unhealthy[pod] ?? isoSeconds(nowMs)] as const);
  const unhealthySince = Object.fromEntries(since);
  const failed = since.filter(([, at]) => Date.parse(at) + settings.repairAfterMs <= nowMs).map(([pod]) => pod);
  // Else what it holds would keep all others from being replaced.
  const accused = pods.filter(({ member }) => alarms.corrupt.includes(member?.id ?? '')).map(({ pod }) => pod);
  const record = state.repair;
  const named =
    record?.pod ?? (since.length === 1 ? since[0]?.[0] : (failed.find((pod) => accused.includes(pod)) ?? failed[0]));
  const target = pods.find(({ pod }) => pod === named) ?? (record && unasked(seatOf(record.pod), view));
  const facts = { nowMs, objects, state, record, pods, members, alarms, leader, unhealthySince, failed };
  return { ...facts, ...aimedAt(settings, objects, target) };
}

/** What of a Pod has to go with its member. */
export function aimedAt(
  settings: Settings,
  { statefulset, pods, claims }: ClusterObjects,
  target: PodMember | undefined,
): Pick<Facts, 'target' | 'targetPod' | 'targetClaim'> {
  const claim = `${settings.dataClaim ?? statefulset.claim}-${target?.pod}`;
  return {
    target,
    targetPod: pods.find(({ name }) => name === target?.pod),
    targetClaim: claims.find(({ name }) => name === claim),
  };
}

function seats(settings: Settings, service: string): (pod: string) => Seat {
  const { clientScheme, clientPort, peerScheme, peerPort, namespace } = settings;
  const domain = settings.domain ?? `${service}.${namespace}.svc`;
  return (pod) => ({
    pod,
    peerUrl: `${peerScheme}://${pod}.${domain}:${peerPort}`,
    endpoint: `${clientScheme}://${pod}.${domain}:${clientPort}`,
  });
}
