import { isDeepStrictEqual } from 'node:util';
import { arrayAt, at, objectAt, objectsAt, textAt, without } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { forbiddenValue, invalidValue, type Cause } from './status-error.ts';

/** Returns the causes for which an update of a built-in object is refused: fields that no update may change. */
export function fixedFieldCauses(collection: string, object: JsonObject, before: JsonObject): readonly Cause[] {
  return RULES[collection]?.(object, before) ?? [];
}

const POD_RULE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
const STATEFUL_SET_RULE =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const CLAIM_RULE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

type Rule = (object: JsonObject, before: JsonObject) => readonly Cause[];

const RULES: { readonly [collection: string]: Rule } = {
  pods: podCauses,
  'deployments.apps': selectorCauses,
  'replicasets.apps': selectorCauses,
  'daemonsets.apps': selectorCauses,
  'statefulsets.apps': (set, before) =>
    isDeepStrictEqual(fixedSetSpec(set), fixedSetSpec(before)) ? [] : [forbiddenValue('spec', STATEFUL_SET_RULE)],
  'jobs.batch': jobCauses,
  persistentvolumeclaims: claimCauses,
};

function podCauses(pod: JsonObject, before: JsonObject): readonly Cause[] {
  const counts = ['containers', 'initContainers'].filter(
    (name) => arrayAt(pod, 'spec', name).length !== arrayAt(before, 'spec', name).length,
  );
  if (counts.length > 0) {
    return counts.map((name) => forbiddenValue(`spec.${name}`, 'pod updates may not add or remove containers'));
  }
  return isDeepStrictEqual(fixedPodSpec(pod), fixedPodSpec(before)) ? [] : [forbiddenValue('spec', POD_RULE)];
}

function fixedPodSpec(pod: JsonObject): JsonObject {
  const spec = objectAt(pod, 'spec');
  const imageless = (name: string): readonly JsonObject[] =>
    objectsAt(spec, name).map((container) => without(container, 'image', 'imagePullPolicy'));
  return {
    ...without(spec, 'activeDeadlineSeconds', 'tolerations', 'ephemeralContainers', 'nodeName', 'schedulingGates'),
    containers: imageless('containers'),
    initContainers: imageless('initContainers'),
  };
}

function selectorCauses(workload: JsonObject, before: JsonObject): readonly Cause[] {
  const selector = objectAt(workload, 'spec', 'selector');
  if (isDeepStrictEqual(selector, objectAt(before, 'spec', 'selector'))) return [];
  return [invalidValue('spec.selector', selector, 'field is immutable')];
}

function fixedSetSpec(set: JsonObject): JsonObject {
  return without(
    objectAt(set, 'spec'),
    'replicas',
    'ordinals',
    'template',
    'updateStrategy',
    'revisionHistoryLimit',
    'persistentVolumeClaimRetentionPolicy',
    'minReadySeconds',
  );
}

/** A suspended Job that never ran may still be told where its Pods run; here its whole template is free for as long. */
function jobCauses(job: JsonObject, before: JsonObject): readonly Cause[] {
  const isOpen = at(before, 'spec', 'suspend') === true && at(before, 'status', 'startTime') === undefined;
  const fixed = ['completionMode', 'selector', ...(isOpen ? [] : ['template'])];
  return fixed
    .filter((name) => !isDeepStrictEqual(at(job, 'spec', name), at(before, 'spec', name)))
    .map((name) => invalidValue(`spec.${name}`, at(job, 'spec', name) ?? null, 'field is immutable'));
}

function claimCauses(claim: JsonObject, before: JsonObject): readonly Cause[] {
  const isBound = textAt(claim, 'status', 'phase') === 'Bound';
  const free = [
    ...(textAt(before, 'spec', 'volumeName') === '' ? ['volumeName'] : []),
    // A default class is given to a claim later where there was none when it was made.
    ...(at(before, 'spec', 'storageClassName') === undefined ? ['storageClassName'] : []),
    ...(isBound ? ['volumeAttributesClassName'] : []),
  ];
  const fixed = (one: JsonObject): JsonObject => {
    const spec = without(objectAt(one, 'spec'), ...free);
    return isBound ? { ...spec, resources: without(objectAt(spec, 'resources'), 'requests') } : spec;
  };
  return isDeepStrictEqual(fixed(claim), fixed(before)) ? [] : [forbiddenValue('spec', CLAIM_RULE)];
}
