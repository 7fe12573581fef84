import type { KubeClient, KubeRequest } from '../kube/client.ts';
import { resourcePath, type Kinds, type ResourceKind } from '../kube/kind.ts';
import type { Logger } from '../log.ts';
import { versionOf } from './api-object.ts';
import type { PatchOperation } from './operation.ts';
import type { PatchMemory } from './patch-memory.ts';
import { withRetries, type RetryRule } from './retries.ts';

/** Compiles a jq expression to a function from an object to its outputs, whose time is limited. */
export type CompileJq = (expression: string) => (input: unknown) => Iterable<unknown> | Promise<Iterable<unknown>>;

/** What an operation did to its object, for the log and the metrics. */
export type Change = 'created' | 'updated' | 'unchanged' | 'patched' | 'applied' | 'deleted' | 'absent';

export interface Outcome {
  readonly change: Change;
  readonly resourceVersion?: string;
  /** The name that the server generated; absent when the hook gave one. */
  readonly name?: string;
}

/** The request paths of an operation. */
export interface Place {
  readonly kind: ResourceKind;
  /** The path to which new objects are POSTed. */
  readonly collection: string;
  readonly object: string;
  /** The object or its subresource. */
  readonly path: string;
}

/** The dependencies of all operations. */
export interface PatchSession {
  readonly client: KubeClient;
  readonly kinds: Kinds;
  readonly compileJq: CompileJq | undefined;
  readonly memory: PatchMemory;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** An operation on an object of a namespaced kind says no namespace, so there is no such object. */
export class NamespaceMissingError extends Error {
  override readonly name = 'NamespaceMissingError';
}

/** Resolves the kind and the paths of an operation; rejects when the kind is unknown or the namespace is missing. */
export async function locate({ kinds, signal }: PatchSession, operation: PatchOperation): Promise<Place> {
  const { namespace, name, subresource = '' } = operation;
  const kind = await kinds.resolve(operation.target, signal);
  if (kind.isNamespaced && namespace === undefined) {
    const field = 'object' in operation ? 'object.metadata.namespace' : 'namespace';
    throw new NamespaceMissingError(
      `${field} is missing: ${kind.kind} is a namespaced kind, expected the namespace of the object`,
    );
  }
  const location = { ...(name !== undefined && { name }), ...(namespace !== undefined && { namespace }) };
  return {
    kind,
    collection: resourcePath(kind, namespace === undefined ? {} : { namespace }),
    object: resourcePath(kind, location),
    path: resourcePath(kind, { ...location, subresource }),
  };
}

/** Sends one request. */
export async function send({ client, signal }: PatchSession, request: KubeRequest): Promise<unknown> {
  return client.request(request, signal);
}

/** Runs `attempt`, and retries it by `rule`. */
export async function retrying<T>(session: PatchSession, rule: RetryRule, attempt: () => Promise<T>): Promise<T> {
  const onRetry = (err: unknown, delayMs: number): void =>
    session.log.debug({ err, delayMs }, 'patch operation retried');
  return withRetries(attempt, { rule, signal: session.signal, onRetry });
}

/** The outcome of a write: `unchanged` when the answer has the resourceVersion that was recorded before. */
export function written(session: PatchSession, place: Place, { answer, change }: Written): Outcome {
  const resourceVersion = versionOf(answer);
  if (resourceVersion === '') return { change };
  const isKnown = session.memory.remember(place.object, resourceVersion);
  return { change: isKnown && change !== 'created' ? 'unchanged' : change, resourceVersion };
}

interface Written {
  readonly answer: unknown;
  readonly change: Change;
}
