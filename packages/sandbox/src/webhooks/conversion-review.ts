import { randomUUID } from 'node:crypto';
import type { Cluster } from '../cluster.ts';
import { arrayAt, at, objectAt, textAt, textsAt } from '../json-fields.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { apiVersionOf, type ServedKind } from '../kind.ts';
import { metadataCauses } from '../metadata-validation.ts';
import { nameOf, namespaceOf, resourceVersionOf, uidOf, withMetadata } from '../object-meta.ts';
import { jsonTypeOf } from '../patch/json-patch.ts';
import type { Call, Outcome } from '../request-scope.ts';
import { reviewProblem } from './decoded-answer.ts';

/** Objects, converted. */
export type Converted = readonly JsonObject[];

const GROUP = 'apiextensions.k8s.io';

const KNOWN_VERSIONS = ['v1', 'v1beta1'];

const TIMEOUT_SECONDS = 30;

/**
 * The call of a converter (`spec.conversion.webhook`) with objects that are stored in other versions. As the server does
 * when it reads them from its storage, it asks about one object after the other, and stops at the first that fails.
 */
export function conversionCall(
  cluster: Cluster,
  converter: JsonObject,
  to: ServedKind,
  objects: readonly JsonObject[],
): Call<Converted> {
  // The storage does not keep the resourceVersion in the object.
  const sent = objects.map((object) => withMetadata(object, { resourceVersion: undefined }));
  return {
    fingerprint: `${apiVersionOf(to)} ${JSON.stringify(converter)} ${JSON.stringify(sent)}`,
    make: async () => {
      const converted: JsonObject[] = [];
      for (const [index, original] of objects.entries()) {
        const outcome = await reviewed(cluster, converter, { to, original, sent: sent[index] ?? {} });
        if (outcome.type === 'failure') return outcome;
        converted.push(outcome.body);
      }
      return { type: 'answer', body: converted };
    },
  };
}

interface Reviewed {
  readonly to: ServedKind;
  readonly original: JsonObject;
  readonly sent: JsonObject;
}

async function reviewed(
  cluster: Cluster,
  converter: JsonObject,
  { to, original, sent }: Reviewed,
): Promise<Outcome<JsonObject>> {
  const uid = randomUUID();
  const version = textsAt(converter, 'conversionReviewVersions').find((one) => KNOWN_VERSIONS.includes(one)) ?? 'v1';
  const apiVersion = `${GROUP}/${version}`;
  const request = { uid, desiredAPIVersion: apiVersionOf(to), objects: [sent] };
  // The server sends the empty fields of the answer too.
  const response = { uid: '', convertedObjects: null, result: { metadata: {} } };
  const body = { kind: 'ConversionReview', apiVersion, request, response };
  const clientConfig = objectAt(converter, 'clientConfig');
  const called = await cluster.webhookClient.call({ clientConfig, timeoutSeconds: TIMEOUT_SECONDS, body });
  const subject = `conversion webhook for ${textAt(sent, 'apiVersion')}, Kind=${to.kind}`;
  if (called.type === 'failure') return failed(`${subject} failed: ${called.message}`);
  const problem = answerProblem(called.body, { uid, apiVersion });
  if (problem !== undefined) return failed(`${subject} failed: ${problem}`);
  return checkedObject(arrayAt(called.body, 'response', 'convertedObjects'), { original, to, subject });
}

function failed(message: string): Outcome<JsonObject> {
  return { type: 'failure', message };
}

function answerProblem(body: JsonObject, { uid, apiVersion }: { uid: string; apiVersion: string }): string | undefined {
  const unreadable = reviewProblem(body, apiVersion, 'ConversionReview');
  if (unreadable !== undefined) return unreadable;
  if (textAt(body, 'kind') === '')
    return `expected webhook response of ${apiVersion}, Kind=ConversionReview, got /, Kind=`;
  if (!isJsonObject(at(body, 'response'))) return 'no response provided';
  const response = objectAt(body, 'response');
  // Before v1, the uid was not asked for.
  const given = textAt(response, 'uid');
  if (apiVersion === `${GROUP}/v1` && given !== uid) {
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`;
  }
  const status = textAt(response, 'result', 'status');
  if (status === 'Success') return undefined;
  return textAt(response, 'result', 'message') || `response.result.status was '${status}', not 'Success'`;
}

interface Expected {
  readonly original: JsonObject;
  readonly to: ServedKind;
  readonly subject: string;
}

function checkedObject(converted: readonly JsonValue[], expected: Expected): Outcome<JsonObject> {
  const { original, subject } = expected;
  if (converted.length !== 1) return failed(`${subject} returned ${converted.length} objects, expected 1`);
  const [object] = converted;
  const given = isJsonObject(object) ? object : {};
  const problem = objectProblem(given, expected);
  return problem === undefined ? { type: 'answer', body: withOriginalMetadata(given, original) } : failed(problem);
}

function objectProblem(object: JsonObject, { original, to, subject }: Expected): string | undefined {
  const [kind, apiVersion] = [textAt(object, 'kind'), textAt(object, 'apiVersion')];
  if (kind === '') return `Object 'Kind' is missing in '${JSON.stringify(object)}'`;
  const where = `${subject} returned invalid object at index 0`;
  if (apiVersion !== apiVersionOf(to)) {
    return `${where}: invalid groupVersion (expected ${apiVersionOf(to)}, received ${apiVersion})`;
  }
  if (kind !== to.kind) return `${where}: invalid kind (expected ${to.kind}, received ${kind})`;
  return identityProblem(object, original, subject) ?? metadataProblem(object, to, subject);
}

function identityProblem(object: JsonObject, original: JsonObject, subject: string): string | undefined {
  const parts = [
    ['name', nameOf],
    ['namespace', namespaceOf],
    ['UID', uidOf],
  ] as const;
  for (const [what, read] of parts) {
    if (read(object) === read(original)) continue;
    return `${subject} returned invalid object: must have the same ${what}: ${read(original)} != ${read(object)}`;
  }
  return undefined;
}

function metadataProblem(object: JsonObject, to: ServedKind, subject: string): string | undefined {
  const what = `${subject} returned invalid metadata`;
  for (const field of ['labels', 'annotations']) {
    for (const [key, value] of Object.entries(objectAt(object, 'metadata', field))) {
      if (typeof value === 'string') continue;
      const found = Number.isInteger(value) ? 'int64' : jsonTypeOf(value);
      return `${what}: metadata.${field}[${key}] must be a string, but is ${found} in converted object`;
    }
  }
  const { labels, annotations } = objectAt(object, 'metadata');
  const causes = metadataCauses(to, withMetadata({ metadata: { name: nameOf(object) } }, { labels, annotations }));
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  if (texts.length === 0) return undefined;
  return `${what}: ${texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`}`;
}

/** A converter may change labels and annotations; all else in the metadata is kept. */
function withOriginalMetadata(object: JsonObject, original: JsonObject): JsonObject {
  const { labels, annotations } = objectAt(object, 'metadata');
  const kept = withMetadata({ ...object, metadata: objectAt(original, 'metadata') }, { labels, annotations });
  return withMetadata(kept, { resourceVersion: resourceVersionOf(original) || undefined });
}
