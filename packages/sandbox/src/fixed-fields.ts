import { at, objectAt, without } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { fixedClaimCauses } from './fixed-claim-fields.ts';
import { fixedJobCauses } from './fixed-job-fields.ts';
import { fixedPodCauses } from './fixed-pod-fields.ts';
import { meansSame } from './same-meaning.ts';
import { forbiddenValue, invalidValue, type Cause } from './status-error.ts';

/** Returns the causes for which an update of a built-in object is refused: fields that no update may change. */
export function fixedFieldCauses(collection: string, object: JsonObject, before: JsonObject): readonly Cause[] {
  return RULES[collection]?.(object, before) ?? [];
}

type Rule = (object: JsonObject, before: JsonObject) => readonly Cause[];

const RULES: { readonly [collection: string]: Rule } = {
  pods: fixedPodCauses,
  'deployments.apps': selectorCauses,
  'replicasets.apps': selectorCauses,
  'daemonsets.apps': selectorCauses,
  'statefulsets.apps': setCauses,
  'jobs.batch': fixedJobCauses,
  persistentvolumeclaims: fixedClaimCauses,
};

function selectorCauses(workload: JsonObject, before: JsonObject): readonly Cause[] {
  const selector = objectAt(workload, 'spec', 'selector');
  if (meansSame('meta/v1.LabelSelector', selector, at(before, 'spec', 'selector'))) return [];
  return [invalidValue('spec.selector', selector, 'field is immutable')];
}

const FREE_SET_FIELDS = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];
const SET_RULE =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

function setCauses(set: JsonObject, before: JsonObject): readonly Cause[] {
  const fixed = (one: JsonObject): JsonObject => without(objectAt(one, 'spec'), ...FREE_SET_FIELDS);
  const isSame = meansSame('apps/v1.StatefulSetSpec', fixed(set), fixed(before));
  return isSame ? [] : [forbiddenValue('spec', SET_RULE)];
}
