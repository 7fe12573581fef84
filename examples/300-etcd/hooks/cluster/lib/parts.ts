import type { KubernetesObject, NewObject } from 'hooklet';
import { byNumber, memberNumber, type ClusterName } from './cluster.ts';
import { FORM, GIVEN, VERSION } from './form.ts';
import type { MemberClaim, MemberParts, MemberSet } from './observed.ts';

/** The objects of each member, by its number. What is being deleted still holds its name. */
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

function setOf(object: KubernetesObject): MemberSet {
  const { generation = 0, annotations = {} } = object.metadata;
  const status = fieldsOf(Reflect.get(object, 'status'));
  const isSeen = Number(status['observedGeneration'] ?? 0) >= generation;
  const isRolled = status['currentRevision'] === status['updateRevision'];
  return {
    form: annotations[FORM] ?? '',
    version: annotations[VERSION] ?? '',
    given: givenIn(annotations[GIVEN] ?? ''),
    isSettled: isSeen && isRolled && Number(status['readyReplicas'] ?? 0) > 0,
  };
}

/** Undefined where somebody has spoiled it: then it is made anew. */
function givenIn(text: string): NewObject | undefined {
  try {
    const { apiVersion, kind, metadata, ...rest } = fieldsOf(JSON.parse(text));
    const { name, labels, annotations } = fieldsOf(metadata);
    if (apiVersion !== 'apps/v1' || kind !== 'StatefulSet') return undefined;
    return {
      ...rest,
      apiVersion,
      kind,
      metadata: { name: textOf(name), labels: textsOf(labels), annotations: textsOf(annotations) },
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
  return {
    size: textOf(requests['storage']),
    storageClassName: textOf(storageClassName) || undefined,
  };
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fieldsOf(value)).map(([key, text]) => [key, textOf(text)]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
