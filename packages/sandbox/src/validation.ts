import { arrayAt, at, numberAt, objectAt, objectsAt, textAt } from './json-fields.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { ServedKind } from './kind.ts';
import { claimCauses } from './claim-validation.ts';
import { cronScheduleCauses } from './cron-schedule.ts';
import { configMapCauses, secretCauses } from './data-validation.ts';
import { fixedFieldCauses } from './fixed-fields.ts';
import { webhookConfigurationCauses } from './webhooks/configuration.ts';
import { invalidValue, requiredValue, type Cause } from './status-error.ts';

/**
 * Validates a built-in object that has its defaults; returns the causes of its refusal. `before` is the current object
 * of an update, undefined for a create.
 */
export function objectCauses(kind: ServedKind, object: JsonObject, before: JsonObject | undefined): readonly Cause[] {
  const { collection } = kind;
  const causes = CHECKS[collection]?.(object, before) ?? [];
  return before === undefined ? causes : [...causes, ...fixedFieldCauses(collection, object, before)];
}

type Check = (object: JsonObject, before: JsonObject | undefined) => readonly Cause[];

const CHECKS: { readonly [collection: string]: Check } = {
  configmaps: configMapCauses,
  secrets: secretCauses,
  pods: (pod) => podSpecCauses(objectAt(pod, 'spec'), 'spec'),
  'deployments.apps': workloadCauses,
  'replicasets.apps': workloadCauses,
  'statefulsets.apps': workloadCauses,
  'daemonsets.apps': workloadCauses,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfigurationCauses,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfigurationCauses,
  'jobs.batch': jobCauses,
  persistentvolumeclaims: claimCauses,
  'cronjobs.batch': cronJobCauses,
  services: (service) =>
    arrayAt(service, 'spec', 'ports').length > 0 || textAt(service, 'spec', 'type') === 'ExternalName'
      ? []
      : textAt(service, 'spec', 'clusterIP') === 'None'
        ? []
        : [requiredValue('spec.ports')],
};

function podSpecCauses(spec: JsonObject, field: string): readonly Cause[] {
  const containers = objectsAt(spec, 'containers');
  if (containers.length === 0) return [requiredValue(`${field}.containers`)];
  const names = new Set<string>();
  return containers.flatMap((container, index) => {
    const path = `${field}.containers[${index}]`;
    const name = textAt(container, 'name');
    const causes: Cause[] = [];
    if (name === '') causes.push(requiredValue(`${path}.name`));
    if (names.has(name)) {
      const message = `Duplicate value: ${JSON.stringify(name)}`;
      causes.push({ field: `${path}.name`, reason: 'FieldValueDuplicate', message });
    }
    names.add(name);
    if (textAt(container, 'image') === '') causes.push(requiredValue(`${path}.image`));
    return causes;
  });
}

function workloadCauses(object: JsonObject): readonly Cause[] {
  const causes: Cause[] = [];
  const replicas = numberAt(object, 'spec', 'replicas') ?? 0;
  if (replicas < 0) causes.push(invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'));
  const selector = objectAt(object, 'spec', 'selector');
  const labels = at(object, 'spec', 'template', 'metadata', 'labels') ?? null;
  if (Object.keys(selector).length === 0) causes.push(requiredValue('spec.selector'));
  if (Object.keys(selector).length === 0 || !selects(selector, objectAt(labels))) causes.push(unselected(labels));
  causes.push(...podSpecCauses(objectAt(object, 'spec', 'template', 'spec'), 'spec.template.spec'));
  return causes;
}

function unselected(labels: JsonValue): Cause {
  return invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`');
}

function selects(selector: JsonObject, labels: JsonObject): boolean {
  return Object.entries(objectAt(selector, 'matchLabels')).every(([key, value]) => labels[key] === value);
}

function jobCauses(job: JsonObject): readonly Cause[] {
  const causes = jobSpecCauses(objectAt(job, 'spec'), 'spec');
  const labels = at(job, 'spec', 'template', 'metadata', 'labels') ?? null;
  if (at(job, 'spec', 'selector') === undefined) return [...causes, requiredValue('spec.selector')];
  return selects(objectAt(job, 'spec', 'selector'), objectAt(labels)) ? causes : [...causes, unselected(labels)];
}

function jobSpecCauses(spec: JsonObject, field: string): readonly Cause[] {
  const causes = podSpecCauses(objectAt(spec, 'template', 'spec'), `${field}.template.spec`);
  const restartPolicy = textAt(spec, 'template', 'spec', 'restartPolicy');
  if (restartPolicy === 'OnFailure' || restartPolicy === 'Never') return causes;
  return [...causes, requiredValue(`${field}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')];
}

function cronJobCauses(cronJob: JsonObject, before: JsonObject | undefined): readonly Cause[] {
  const causes = jobSpecCauses(objectAt(cronJob, 'spec', 'jobTemplate', 'spec'), 'spec.jobTemplate.spec');
  return [...cronScheduleCauses(cronJob, before), ...causes];
}
