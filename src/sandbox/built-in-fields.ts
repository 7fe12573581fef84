import { at, present } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import type { ServedKind } from './kind.ts';
import { badRequest } from './status-error.ts';

const COMMON = ['kind', 'apiVersion', 'metadata'];
const USUAL = ['spec', 'status'];

// What a kind has at the top beside kind, apiVersion and metadata, where that is not spec and status.
const OWN_FIELDS: { readonly [collection: string]: readonly string[] } = {
  configmaps: ['immutable', 'data', 'binaryData'],
  secrets: ['immutable', 'data', 'stringData', 'type'],
  serviceaccounts: ['secrets', 'imagePullSecrets', 'automountServiceAccountToken'],
  endpoints: ['subsets'],
  podtemplates: ['template'],
  'controllerrevisions.apps': ['data', 'revision'],
  'roles.rbac.authorization.k8s.io': ['rules'],
  'clusterroles.rbac.authorization.k8s.io': ['rules', 'aggregationRule'],
  'rolebindings.rbac.authorization.k8s.io': ['subjects', 'roleRef'],
  'clusterrolebindings.rbac.authorization.k8s.io': ['subjects', 'roleRef'],
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': ['webhooks'],
  'validatingwebhookconfigurations.admissionregistration.k8s.io': ['webhooks'],
};

// Kinds whose fields stand at the top and are too many to name here.
const UNCHECKED = new Set([
  'events',
  'componentstatuses',
  'endpointslices.discovery.k8s.io',
  'storageclasses.storage.k8s.io',
  'csistoragecapacities.storage.k8s.io',
  'volumeattributesclasses.storage.k8s.io',
  'priorityclasses.scheduling.k8s.io',
  'runtimeclasses.node.k8s.io',
]);

/** A built-in object without fields at its top that its kind does not have; throws for them where `strict` says so. */
export function withKnownFields(kind: ServedKind, object: JsonObject, strict: boolean): JsonObject {
  if (UNCHECKED.has(kind.collection)) return object;
  const known = [...COMMON, ...(OWN_FIELDS[kind.collection] ?? USUAL)];
  if (strict) refuseUnknown(kind, object, known);
  return present(Object.fromEntries(known.map((name) => [name, at(object, name)])));
}

function refuseUnknown({ kind, version }: ServedKind, object: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(object).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const problems = unknown.map((name) => `unknown field "${name}"`).join(', ');
  throw badRequest(
    `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${problems}`,
  );
}
