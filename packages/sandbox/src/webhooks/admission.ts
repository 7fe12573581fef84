// Admission webhooks, as the API server calls them: first the mutating ones, one after the other, each with what those
// before it have made of the object; then those of them once more that want to see the changes of later ones
// (`reinvocationPolicy: IfNeeded`); and when the object is complete and valid, all validating ones side by side.

import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '../cluster.ts';
import { textAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import type { RequestScope } from '../request-scope.ts';
import { callFailed, conditionsFailed, denied } from './admission-refusal.ts';
import type { Attributes } from './attributes.ts';
import { inVersion } from './conversion.ts';
import { evaluateConditions } from './match-conditions.ts';
import { invocationOf, type Invocation } from './matching.ts';
import { patchedObject } from './patched-object.ts';
import type { Webhook } from './registrations.ts';
import { reviewCall, reviewRequest, warningsOf } from './review.ts';

/** Whether a webhook may have to be called for requests of this cluster now. */
export function hasWebhooks(cluster: Cluster): cluster is Cluster & { readonly scope: RequestScope } {
  return cluster.scope !== undefined && !cluster.webhooks.isEmpty;
}

/** Calls the mutating webhooks; returns the object that they leave. Throws the refusal of one that denies. */
export function mutated(cluster: Cluster, attributes: Attributes): JsonObject | undefined {
  if (!hasWebhooks(cluster)) return attributes.object;
  let current = attributes;
  const again: { readonly hook: Webhook; readonly seen: JsonObject | undefined }[] = [];
  for (const hook of cluster.webhooks.of('mutating')) {
    const next = mutatedBy(cluster, hook, current);
    if (next === undefined) continue;
    current = { ...current, object: next.object };
    if (hook.isInvokedAgain) again.push({ hook, seen: next.object });
  }
  let changedAgain = false;
  for (const { hook, seen } of again) {
    if (!changedAgain && isDeepStrictEqual(seen, current.object)) continue;
    const next = mutatedBy(cluster, hook, current);
    if (next === undefined) continue;
    changedAgain ||= !isDeepStrictEqual(next.object, current.object);
    current = { ...current, object: next.object };
  }
  return current.object;
}

/** Calls the validating webhooks; throws the refusal of the first that denies. */
export function validated(cluster: Cluster, attributes: Attributes): void {
  if (!hasWebhooks(cluster)) return;
  const { scope } = cluster;
  const asked = cluster.webhooks.of('validating').flatMap((hook) => {
    const prepared = preparedCall(cluster, hook, attributes);
    return prepared === undefined ? [] : [prepared];
  });
  if (asked.length === 0) return;
  const outcomes = scope.outcomes(asked.map(({ call }) => call));
  const answered = asked.flatMap(({ invocation: { hook } }, index) => {
    const outcome = outcomes[index];
    return outcome === undefined ? [] : [{ hook, outcome, rank: scope.rankOf(outcome) }];
  });
  const refusals: Error[] = [];
  // The first to answer decides.
  for (const { hook, outcome } of answered.toSorted((left, right) => left.rank - right.rank)) {
    if (outcome.type === 'failure') {
      if (!hook.ignoresFailure) refusals.push(callFailed(hook, outcome.message));
      continue;
    }
    for (const warning of warningsOf(outcome.body)) scope.warn(warning);
    if (outcome.body['allowed'] !== true) refusals.push(denied(hook, outcome.body));
  }
  const [first] = refusals;
  if (first !== undefined) throw first;
}

/** Calls mutating and validating webhooks for an operation that nothing can change. */
export function admitted(cluster: Cluster, attributes: Attributes): void {
  mutated(cluster, attributes);
  validated(cluster, attributes);
}

interface PreparedCall {
  readonly invocation: Invocation;
  readonly call: ReturnType<typeof reviewCall>;
}

function preparedCall(cluster: Cluster, hook: Webhook, attributes: Attributes): PreparedCall | undefined {
  const invocation = invocationOf(cluster, hook, attributes);
  if (invocation === undefined) return undefined;
  const converted = convertedAttributes(cluster, invocation, attributes);
  const request = reviewRequest(cluster, invocation, converted);
  const { object, oldObject } = converted;
  const result = evaluateConditions(hook.conditions, { object, oldObject, request });
  switch (result.type) {
    case 'matched':
      return { invocation, call: reviewCall(cluster, invocation, request) };
    case 'unmatched':
      return undefined;
    case 'errors':
      if (hook.ignoresFailure) return undefined;
      throw conditionsFailed(attributes, result.message);
  }
}

/** The attributes with the objects in the version that the webhook wants; objects of subresources have one version. */
function convertedAttributes(cluster: Cluster, { resource }: Invocation, attributes: Attributes): Attributes {
  if (resource === attributes.resource) return attributes;
  const convert = (object: JsonObject | undefined): JsonObject | undefined =>
    object === undefined || !isOfResource(object, attributes)
      ? object
      : inVersion(cluster, attributes.resource, resource, object);
  return { ...attributes, object: convert(attributes.object), oldObject: convert(attributes.oldObject) };
}

function isOfResource(object: JsonObject, { resource }: Attributes): boolean {
  return textAt(object, 'kind') === resource.kind;
}

function mutatedBy(
  cluster: Cluster & { readonly scope: RequestScope },
  hook: Webhook,
  attributes: Attributes,
): { readonly object: JsonObject | undefined } | undefined {
  const prepared = preparedCall(cluster, hook, attributes);
  if (prepared === undefined) return undefined;
  const { invocation, call } = prepared;
  const [outcome] = cluster.scope.outcomes([call]);
  if (outcome === undefined) return undefined;
  if (outcome.type === 'failure') return unanswered(hook, attributes, outcome.message);
  for (const warning of warningsOf(outcome.body)) cluster.scope.warn(warning);
  if (outcome.body['allowed'] !== true) throw denied(hook, outcome.body);
  const converted = convertedAttributes(cluster, invocation, attributes);
  const patched = patchedObject(hook.name, outcome.body, converted.object);
  if (patched.type === 'failure') return unanswered(hook, attributes, patched.message);
  if (patched.object === converted.object || patched.object === undefined) return { object: attributes.object };
  return { object: backInVersion(cluster, invocation, attributes, patched.object) };
}

/** What becomes of the object after a call without a usable answer. */
function unanswered(
  hook: Webhook,
  { object }: Attributes,
  problem: string,
): { readonly object: JsonObject | undefined } {
  if (hook.ignoresFailure) return { object };
  throw callFailed(hook, problem);
}

function backInVersion(
  cluster: Cluster,
  { resource }: Invocation,
  attributes: Attributes,
  object: JsonObject,
): JsonObject {
  if (resource === attributes.resource || !isOfResource(object, attributes)) return object;
  return inVersion(cluster, resource, attributes.resource, object);
}
