import { KubeError } from '../errors.ts';
import type { KubeClient } from './client.ts';
import { asJsonObject, text } from './object.ts';
import type { JsonObject } from '../lib/json-object.ts';

/** A user as the API server knows it from a token. */
export interface ReviewedUser {
  readonly name: string;
  /** `groups`, `uid` and `extra` of the TokenReview, as the SubjectAccessReview takes them. */
  readonly spec: JsonObject;
  readonly groups: readonly string[];
}

/** What a user is to be allowed, as `resourceAttributes` has it. */
export interface AskedRight {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly verb: string;
  readonly name?: string;
  /** Empty: in all namespaces. */
  readonly namespace: string;
}

const LIMIT_MS = 10_000;

/**
 * Whose token it is, by TokenReview; undefined for a token that the API server does not know, or that is not for the
 * audience. Default: the audience of the API server.
 */
export async function reviewToken(
  client: Pick<KubeClient, 'request'>,
  token: string,
  signal: AbortSignal,
  audience?: string,
): Promise<ReviewedUser | undefined> {
  const spec = { token, ...(audience !== undefined && { audiences: [audience] }) };
  const status = await post(client, { group: 'authentication.k8s.io', kind: 'TokenReview', spec }, signal);
  // An API server that knows no audiences takes a token for any.
  const { audiences } = status;
  if (audience !== undefined && !(Array.isArray(audiences) && audiences.includes(audience))) return undefined;
  const user = asJsonObject(status['user']);
  const name = text(user['username']);
  if (status['authenticated'] !== true || name === '') return undefined;
  const { groups, uid, extra } = user;
  const known = Array.isArray(groups) ? groups.filter((one) => typeof one === 'string') : [];
  return { name, groups: known, spec: { user: name, groups, uid, extra } };
}

/** Whether a user has a right, by SubjectAccessReview. */
export async function reviewAccess(
  client: Pick<KubeClient, 'request'>,
  { spec }: Pick<ReviewedUser, 'spec'>,
  resourceAttributes: AskedRight,
  signal: AbortSignal,
): Promise<boolean> {
  const review = { group: 'authorization.k8s.io', kind: 'SubjectAccessReview', spec: { ...spec, resourceAttributes } };
  return (await post(client, review, signal))['allowed'] === true;
}

/** Whether the user of this client has a right, by SelfSubjectAccessReview, which everybody may ask. */
export async function reviewOwnAccess(
  client: Pick<KubeClient, 'request'>,
  resourceAttributes: AskedRight,
  signal: AbortSignal,
): Promise<boolean> {
  const review = { group: 'authorization.k8s.io', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } };
  return (await post(client, review, signal))['allowed'] === true;
}

/** The name of the user of this client, by SelfSubjectReview; undefined where the API server is older than that. */
export async function reviewSelf(
  client: Pick<KubeClient, 'request'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const status = await post(client, { group: 'authentication.k8s.io', kind: 'SelfSubjectReview', spec: {} }, signal);
    return text(asJsonObject(status['userInfo'])['username']);
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return undefined;
    throw error;
  }
}

interface Review {
  readonly group: string;
  readonly kind: string;
  readonly spec: object;
}

/** Resolves to the status of the review. */
async function post(
  client: Pick<KubeClient, 'request'>,
  { group, kind, spec }: Review,
  signal: AbortSignal,
): Promise<JsonObject> {
  const path = `/apis/${group}/v1/${kind.toLowerCase()}s`;
  const body = JSON.stringify({ apiVersion: `${group}/v1`, kind, spec });
  const answer = await client.request({ method: 'POST', path, body, timeoutMs: LIMIT_MS }, signal);
  return asJsonObject(asJsonObject(answer)['status']);
}
