import type { KubernetesObject, NewObject } from 'hooklet';
import { byNumber, memberNumber, type ClusterName } from './cluster.ts';
import { FORM, GIVEN, VERSION } from './form.ts';
import { CLIENT_TRUST, PEER_TRUST } from './tls/mount.ts';
import type { Trust } from './tls/trust.ts';
import type { MemberClaim, MemberParts, MemberSet, Observed } from './observed.ts';

/** The objects of each member, by its number. Objects that are being deleted count, because their names are taken. */
export function partsOf(
  cluster: ClusterName,
  owned: Readonly<Record<string, readonly KubernetesObject[]>>,
): readonly MemberParts[] {
  const byMember = new Map<string, MemberParts>();
  const add = (name: string, part: Partial<MemberParts>): void => {
    if (memberNumber(cluster, name) === undefined) return;
    byMember.set(name, { ...byMember.get(name), ...part, name });
  };
  for (const object of owned['StatefulSet.apps'] ?? []) add(object.metadata.name, { set: setOf(object) });
  for (const object of owned['ConfigMap'] ?? []) add(object.metadata.name, { start: startOf(object) });
  for (const object of owned['PersistentVolumeClaim'] ?? []) {
    add(object.metadata.name.replace(/^data-/, ''), { claim: claimOf(object) });
  }
  return [...byMember.values()].toSorted(byNumber(cluster));
}

type Restoring = Pick<Observed, 'restoring' | 'restoreSaid' | 'restoreGiven'>;

/** The Job that restores the first member: how far it is, and as it was given. */
export function restoreOf(jobs: readonly KubernetesObject[]): Restoring {
  const [job] = jobs;
  if (job === undefined) return { restoring: 'none' };
  const restoreGiven = givenIn(job.metadata.annotations?.[GIVEN] ?? '', 'batch/v1', 'Job');
  return { restoring: jobState(job), restoreSaid: saidOf(job), ...(restoreGiven && { restoreGiven }) };
}

/** How many Pods of a Job have failed, and why it has. */
function saidOf(job: KubernetesObject): string {
  const { failed, conditions } = fieldsOf(Reflect.get(job, 'status'));
  const all = Array.isArray(conditions) ? conditions.map(fieldsOf) : [];
  const why = all.find(({ type, status }) => type === 'Failed' && status === 'True');
  return [
    ...(typeof failed === 'number' && failed > 0 ? [`${failed} Pods have failed`] : []),
    ...(why === undefined ? [] : [`${textOf(why['reason'])}: ${textOf(why['message'])}`]),
  ].join(', ');
}

/** By its conditions. */
export function jobState(job: KubernetesObject): 'running' | 'done' | 'failed' {
  const { conditions } = fieldsOf(Reflect.get(job, 'status'));
  const isTrue = (type: string): boolean =>
    Array.isArray(conditions) &&
    conditions.map(fieldsOf).some((one) => one['type'] === type && one['status'] === 'True');
  if (isTrue('Complete')) return 'done';
  return isTrue('Failed') ? 'failed' : 'running';
}

function setOf(object: KubernetesObject): MemberSet {
  const { generation = 0, annotations = {} } = object.metadata;
  const given = givenIn(annotations[GIVEN] ?? '', 'apps/v1', 'StatefulSet');
  const trust = given && trustIn(given);
  return {
    form: annotations[FORM] ?? '',
    version: annotations[VERSION] ?? '',
    given,
    ...(trust && { trust }),
    isSettled: isSettled(fieldsOf(Reflect.get(object, 'status')), generation),
  };
}

function isSettled(status: Readonly<Record<string, unknown>>, generation: number): boolean {
  const isSeen = Number(status['observedGeneration'] ?? 0) >= generation;
  const isRolled = status['currentRevision'] === status['updateRevision'];
  return isSeen && isRolled && Number(status['readyReplicas'] ?? 0) > 0;
}

/** The authorities that the Pods of a StatefulSet trust; undefined if it was made without TLS. */
function trustIn(given: NewObject): Trust | undefined {
  const { annotations } = fieldsOf(fieldsOf(fieldsOf(given['spec'])['template'])['metadata']);
  const texts = textsOf(annotations);
  const [client, peer] = [texts[CLIENT_TRUST], texts[PEER_TRUST]];
  return client === undefined || peer === undefined ? undefined : { client, peer };
}

/** Undefined if the annotation is no such object: then the object is made anew. */
export function givenIn(text: string, version: string, type: string): NewObject | undefined {
  try {
    const { apiVersion, kind, metadata, ...rest } = fieldsOf(JSON.parse(text));
    const { name, labels, annotations } = fieldsOf(metadata);
    if (apiVersion !== version || kind !== type) return undefined;
    // In the order of memberSet and the Jobs, so that it is the same text when it is given again.
    return {
      apiVersion,
      kind,
      metadata: { name: textOf(name), labels: textsOf(labels), annotations: textsOf(annotations) },
      ...rest,
    };
  } catch {
    return undefined;
  }
}

function startOf(object: KubernetesObject): Readonly<Record<string, string>> {
  return textsOf(Reflect.get(object, 'data'));
}

function claimOf(object: KubernetesObject): MemberClaim {
  const spec = fieldsOf(Reflect.get(object, 'spec'));
  const requests = fieldsOf(fieldsOf(spec['resources'])['requests']);
  const { storageClassName } = spec;
  const { storage } = fieldsOf(fieldsOf(Reflect.get(object, 'status'))['capacity']);
  return {
    size: textOf(storage) || textOf(requests['storage']),
    storageClassName: textOf(storageClassName) || undefined,
  };
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fieldsOf(value)).map(([key, text]) => [key, textOf(text)]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The fields of a JSON object; none where it is something else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
