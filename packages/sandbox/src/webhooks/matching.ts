import type { Cluster } from '../cluster.ts';
import { objectAt, textAt, textsAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import type { ServedKind } from '../kind.ts';
import { labelsOf } from '../object-meta.ts';
import { equivalents, type Attributes } from './attributes.ts';
import { selectorMatches } from './object-selector.ts';
import type { Webhook } from './registrations.ts';

/** A webhook that is to be called, and the version in which it wants the object. */
export interface Invocation {
  readonly hook: Webhook;
  readonly resource: ServedKind;
}

/** Nobody can lock himself out with these: no webhook is called for them. */
const EXEMPT = [
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
];

/** Whether a webhook is to be called, by its rules and selectors; its match conditions are asked later. */
export function invocationOf(cluster: Cluster, hook: Webhook, attributes: Attributes): Invocation | undefined {
  const { resource } = attributes;
  if (resource.group === 'admissionregistration.k8s.io' && EXEMPT.includes(resource.plural)) return undefined;
  const wanted = wantedVersion(cluster, hook, attributes);
  if (wanted === undefined || !selectsNamespace(cluster, hook, attributes)) return undefined;
  return selectsObject(hook, attributes) ? { hook, resource: wanted } : undefined;
}

function wantedVersion(cluster: Cluster, hook: Webhook, attributes: Attributes): ServedKind | undefined {
  const direct = hook.rules.some((rule) => ruleMatches(rule, attributes.resource, attributes));
  if (direct || hook.exact) return direct ? attributes.resource : undefined;
  const candidates = equivalents(cluster, attributes);
  return hook.rules
    .map((rule) => candidates.find((candidate) => ruleMatches(rule, candidate, attributes)))
    .find((candidate) => candidate !== undefined);
}

function ruleMatches(rule: JsonObject, resource: ServedKind, attributes: Attributes): boolean {
  return (
    includesOrAll(textsAt(rule, 'operations'), attributes.operation) &&
    includesOrAll(textsAt(rule, 'apiGroups'), resource.group) &&
    includesOrAll(textsAt(rule, 'apiVersions'), resource.version) &&
    textsAt(rule, 'resources').some((pattern) => resourceMatches(pattern, resource.plural, attributes.subresource)) &&
    scopeMatches(textAt(rule, 'scope'), attributes)
  );
}

function includesOrAll(values: readonly string[], value: string): boolean {
  return values.includes('*') || values.includes(value);
}

function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const [wanted = '', part = ''] = pattern.split('/', 2);
  return (wanted === '*' || wanted === resource) && (part === '*' || part === subresource);
}

function scopeMatches(scope: string, { resource, namespace }: Attributes): boolean {
  const isNamespaced = resource.collection !== 'namespaces' && namespace !== '';
  if (scope === 'Namespaced') return isNamespaced;
  return scope === 'Cluster' ? !isNamespaced : true;
}

function selectsNamespace({ storage }: Cluster, { namespaceSelector }: Webhook, attributes: Attributes): boolean {
  const { resource, namespace, operation, subresource, object } = attributes;
  if (namespace === '') return true;
  const written = resource.collection === 'namespaces' && subresource === '' && operation !== 'DELETE';
  const source = written ? object : storage.get('namespaces', '', namespace)?.object;
  return selectorMatches(namespaceSelector, labelsOf(source ?? {}));
}

function selectsObject({ objectSelector }: Webhook, { object, oldObject }: Attributes): boolean {
  if (Object.keys(objectSelector).length === 0) return true;
  return [object, oldObject].some(
    (state) => state !== undefined && selectorMatches(objectSelector, objectAt(labelsOf(state))),
  );
}
