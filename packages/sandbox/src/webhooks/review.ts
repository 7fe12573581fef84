import { randomUUID } from 'node:crypto';
import type { Cluster } from '../cluster.ts';
import { at, objectAt, present, textAt, textsAt, withAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import type { ServedKind } from '../kind.ts';
import type { Call, Outcome } from '../request-scope.ts';
import { reviewProblem } from './decoded-answer.ts';
import type { Attributes } from './attributes.ts';
import type { Invocation } from './matching.ts';

const GROUP = 'admission.k8s.io';

const ADMINISTRATORS = ['system:masters', 'system:authenticated'];
const KNOWN_VERSIONS = ['v1', 'v1beta1'];

/** The `request` of an AdmissionReview, without its uid. */
export function reviewRequest(cluster: Cluster, { resource }: Invocation, attributes: Attributes): JsonObject {
  const { subresource, name, namespace, operation, object, oldObject, dryRun, options } = attributes;
  return present({
    kind: objectKind(resource, attributes),
    resource: resourceName(resource),
    subResource: subresource === '' ? undefined : subresource,
    requestKind: objectKind(attributes.resource, attributes),
    requestResource: resourceName(attributes.resource),
    requestSubResource: subresource === '' ? undefined : subresource,
    name: name === '' ? undefined : name,
    namespace: namespace === '' ? undefined : namespace,
    operation,
    userInfo: { username: cluster.user, groups: [...(cluster.groups ?? ADMINISTRATORS)] },
    object: object ?? null,
    oldObject: oldObject ?? null,
    dryRun,
    options,
  });
}

function resourceName({ group, version, plural }: ServedKind): JsonObject {
  return { group, version, resource: plural };
}

function objectKind({ group, version, kind, subresources }: ServedKind, { subresource }: Attributes): JsonObject {
  const part = subresources.find((candidate) => candidate.name === subresource);
  if (part === undefined) return { group, version, kind };
  return { ...(part.groupVersion ?? { group, version }), kind: part.kind };
}

/** The call of a webhook with a review of this request; its outcome is the checked `response`. */
export function reviewCall(cluster: Cluster, invocation: Invocation, request: JsonObject): Call<JsonObject> {
  const { hook } = invocation;
  const version = hook.reviewVersions.find((candidate) => KNOWN_VERSIONS.includes(candidate)) ?? 'v1';
  return {
    fingerprint: `${hook.id} ${JSON.stringify(request)}`,
    make: async () => {
      const uid = randomUUID();
      const apiVersion = `${GROUP}/${version}`;
      const body = { kind: 'AdmissionReview', apiVersion, request: { uid, ...request } };
      const { clientConfig, timeoutSeconds } = hook;
      const called = await cluster.webhookClient.call({ clientConfig, timeoutSeconds, body });
      if (called.type === 'failure') {
        const step = called.stage === 'client' ? 'could not get REST client' : 'failed to call webhook';
        return { type: 'failure', message: `${step}: ${called.message}` };
      }
      return checkedResponse(called.body, { uid, apiVersion, mutating: hook.id.startsWith('mutating/') });
    },
  };
}

interface Expected {
  readonly uid: string;
  readonly apiVersion: string;
  readonly mutating: boolean;
}

function checkedResponse(body: JsonObject, expected: Expected): Outcome<JsonObject> {
  const unreadable = reviewProblem(body, expected.apiVersion, 'AdmissionReview') ?? fieldProblem(body);
  if (unreadable !== undefined) return { type: 'failure', message: `failed to call webhook: ${unreadable}` };
  const problem = responseProblem(body, expected);
  if (problem !== undefined) return { type: 'failure', message: `received invalid webhook response: ${problem}` };
  // In v1beta1 the type of the only kind of patch may be left out.
  const patched = textAt(body, 'response', 'patch') !== '';
  const response = objectAt(body, 'response');
  return { type: 'answer', body: patched ? withAt(response, ['patchType'], patchType(response)) : response };
}

function patchType(response: JsonObject): string {
  return textAt(response, 'patchType') || 'JSONPatch';
}

const GO_FIELDS: readonly (readonly [string, string, string])[] = [
  ['allowed', 'boolean', 'bool'],
  ['patch', 'string', '[]uint8'],
  ['patchType', 'string', 'v1.PatchType'],
];

function fieldProblem(body: JsonObject): string | undefined {
  for (const [field, type, goType] of GO_FIELDS) {
    const value = at(body, 'response', field) ?? null;
    if (value === null || typeof value === type || (field === 'patch' && Array.isArray(value))) continue;
    const found = typeof value === 'boolean' ? 'bool' : typeof value;
    return `json: cannot unmarshal ${found} into Go struct field AdmissionResponse.response.${field} of type ${goType}`;
  }
  const offset = textAt(body, 'response', 'patch').search(/[^A-Za-z0-9+/=\r\n]/);
  return offset < 0 ? undefined : `illegal base64 data at input byte ${offset}`;
}

function responseProblem(body: JsonObject, { uid, apiVersion, mutating }: Expected): string | undefined {
  if (at(body, 'response') === undefined || at(body, 'response') === null) return 'webhook response was absent';
  // Before v1, neither the uid nor the kind was asked for.
  if (apiVersion !== `${GROUP}/v1`) return undefined;
  const given = textAt(body, 'response', 'uid');
  if (given !== uid) return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`;
  if (textAt(body, 'kind') === '' && textAt(body, 'apiVersion') === '') {
    return `expected webhook response of ${apiVersion}, Kind=AdmissionReview, got /, Kind=`;
  }
  const hasPatch = textAt(body, 'response', 'patch') !== '';
  const hasType = textAt(body, 'response', 'patchType') !== '';
  return mutating ? patchProblem(hasPatch, hasType) : validatingProblem(hasPatch, hasType);
}

function patchProblem(hasPatch: boolean, hasType: boolean): string | undefined {
  if (hasPatch === hasType) return undefined;
  return hasPatch
    ? 'webhook returned response.patch but not response.patchType'
    : 'webhook returned response.patchType but not response.patch';
}

function validatingProblem(hasPatch: boolean, hasType: boolean): string | undefined {
  if (hasPatch) return 'validating webhook may not return response.patch';
  return hasType ? 'validating webhook may not return response.patchType' : undefined;
}

/** The warnings in a response. */
export function warningsOf(response: JsonObject): readonly string[] {
  return textsAt(response, 'warnings');
}
