import { at, objectAt, textAt, without } from './json-fields.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { meansSame } from './same-meaning.ts';
import { invalidValue, type Cause } from './status-error.ts';

/** Returns the causes for which an update of a Job is refused: its Pods and what counts as its end stay the same. */
export function fixedJobCauses(job: JsonObject, before: JsonObject): readonly Cause[] {
  return [
    ...completionsCauses(objectAt(job, 'spec'), objectAt(before, 'spec')),
    ...FIXED.filter((name) => !isSame(job, before, name)).map((name) => immutable(job, name)),
    ...(isSameTemplate(job, before) ? [] : [immutable(job, 'template')]),
  ];
}

const SPEC = 'batch/v1.JobSpec';
const FIXED = [
  'selector',
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
] as const;

function isSame(job: JsonObject, before: JsonObject, name: string): boolean {
  const only = (one: JsonObject): JsonObject => ({ [name]: at(one, 'spec', name) ?? null });
  return meansSame(SPEC, only(job), only(before));
}

function immutable(job: JsonObject, name: string): Cause {
  return invalidValue(`spec.${name}`, at(job, 'spec', name) ?? null, 'field is immutable');
}

/** An indexed Job may grow and shrink, with as many Pods at once as it needs in all. */
function completionsCauses(spec: JsonObject, before: JsonObject): readonly Cause[] {
  const { completions = null, parallelism = null } = spec;
  if (completions === (before['completions'] ?? null)) return [];
  const field = 'spec.completions';
  if (textAt(spec, 'completionMode') !== 'Indexed') return [invalidValue(field, completions, 'field is immutable')];
  if (completions === parallelism) return [];
  return [invalidValue(field, completions, 'can only be modified in tandem with spec.parallelism')];
}

/** A suspended Job that never ran may still be told where its Pods run. */
function isSameTemplate(job: JsonObject, before: JsonObject): boolean {
  const isOpen = at(before, 'spec', 'suspend') === true && at(before, 'status', 'startTime') === undefined;
  const [one, other] = [job, before].map((state) => objectAt(state, 'spec', 'template'));
  const fixed = (template: JsonObject | undefined): JsonValue =>
    isOpen ? placeless(template ?? {}) : (template ?? {});
  return meansSame('core/v1.PodTemplateSpec', fixed(one), fixed(other));
}

function placeless(template: JsonObject): JsonObject {
  const spec = without(objectAt(template, 'spec'), 'nodeSelector', 'tolerations', 'schedulingGates');
  return {
    metadata: without(objectAt(template, 'metadata'), 'labels', 'annotations'),
    spec: { ...spec, affinity: without(objectAt(spec, 'affinity'), 'nodeAffinity') },
  };
}
