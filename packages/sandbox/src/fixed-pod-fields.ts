import { arrayAt, numberAt, objectAt, objectsAt, textAt, without } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { meansSame } from './same-meaning.ts';
import { forbiddenValue, invalidValue, type Cause } from './status-error.ts';

/** Returns the causes for which an update of a Pod is refused: of its spec only little may change, and one way only. */
export function fixedPodCauses(pod: JsonObject, before: JsonObject): readonly Cause[] {
  const counts = ['containers', 'initContainers'].filter(
    (name) => arrayAt(pod, 'spec', name).length !== arrayAt(before, 'spec', name).length,
  );
  if (counts.length > 0) {
    return counts.map((name) => forbiddenValue(`spec.${name}`, 'pod updates may not add or remove containers'));
  }
  const causes = [...deadlineCauses(pod, before), ...tolerationCauses(pod, before), ...gateCauses(pod, before)];
  const isSame = meansSame('core/v1.PodSpec', fixedSpec(pod), fixedSpec(before));
  return isSame ? causes : [...causes, forbiddenValue('spec', RULE)];
}

const RULE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Ephemeral containers are of a subresource; the other free fields have rules of their own. */
function fixedSpec(pod: JsonObject): JsonObject {
  const spec = objectAt(pod, 'spec');
  const imageless = (name: string): readonly JsonObject[] =>
    objectsAt(spec, name).map((container) => without(container, 'image'));
  return {
    ...without(spec, 'activeDeadlineSeconds', 'tolerations', 'ephemeralContainers', 'schedulingGates'),
    containers: imageless('containers'),
    initContainers: imageless('initContainers'),
  };
}

/** A deadline may come nearer. */
function deadlineCauses(pod: JsonObject, before: JsonObject): readonly Cause[] {
  const field = 'spec.activeDeadlineSeconds';
  const [seconds, former] = [pod, before].map((one) => numberAt(one, 'spec', 'activeDeadlineSeconds'));
  if (former === undefined || seconds === former) return [];
  if (seconds === undefined) return [invalidValue(field, null, 'must not update from a positive integer to nil value')];
  return seconds < former ? [] : [invalidValue(field, seconds, 'must be less than or equal to previous value')];
}

function tolerationCauses(pod: JsonObject, before: JsonObject): readonly Cause[] {
  // But for their seconds: as texts, so that each is looked up, however many there are.
  const timeless = (one: JsonObject): readonly string[] =>
    objectsAt(one, 'spec', 'tolerations').map((toleration) =>
      JSON.stringify(['key', 'operator', 'value', 'effect'].map((name) => textAt(toleration, name))),
    );
  const kept = new Set(timeless(pod));
  if (timeless(before).every((former) => kept.has(former))) return [];
  return [forbiddenValue('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}

function gateCauses(pod: JsonObject, before: JsonObject): readonly Cause[] {
  const gates = (one: JsonObject): readonly string[] =>
    objectsAt(one, 'spec', 'schedulingGates').map((gate) => textAt(gate, 'name'));
  const former = new Set(gates(before));
  const added = gates(pod).find((gate) => !former.has(gate));
  if (added === undefined) return [];
  const rule = `only deletion is allowed, but found new scheduling gate '${added}'`;
  return [forbiddenValue('spec.schedulingGates', rule)];
}
