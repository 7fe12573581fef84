import type { KubeClient, KubeRequest } from '../kube/client.ts';
import { resourcePath, type Kinds, type ResourceKind } from '../kube/kind.ts';
import type { Logger } from '../log.ts';
import { versionOf } from './api-object.ts';
import type { PatchOperation } from './operation.ts';
import type { PatchMemory } from './patch-memory.ts';
import { withRetries, type RetryRule } from './retries.ts';

/** Turns a jq expression into a function from an object to the outputs; it ends within a known time. */
export type CompileJq = (expression: string) => (input: unknown) => Iterable<unknown> | Promise<Iterable<unknown>>;

/** What became of an object, in a word for the log. */
export type Change = 'created' | 'updated' | 'unchanged' | 'patched' | 'applied' | 'deleted' | 'absent';

export interface Outcome {
  readonly change: Change;
  readonly resourceVersion?: string;
  /** Where the server made it. */
  readonly name?: string;
}

/** Where an operation goes. */
export interface Place {
  readonly kind: ResourceKind;
  /** Where new objects are posted. */
  readonly collection: string;
  readonly object: string;
  /** The object or its subresource. */
  readonly path: string;
}

/** What carrying out an operation needs. */
export interface PatchSession {
  readonly client: KubeClient;
  readonly kinds: Kinds;
  readonly compileJq: CompileJq | undefined;
  readonly memory: PatchMemory;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** Finds the paths of an operation; rejects where the namespace is missing. */
export async function locate({ kinds, signal }: PatchSession, operation: PatchOperation): Promise<Place> {
  const { namespace, name, subresource = '' } = operation;
  const kind = await kinds.resolve(operation.target, signal);
  if (kind.isNamespaced && namespace === undefined) {
    const field = 'object' in operation ? 'object.metadata.namespace' : 'namespace';
    throw new Error(
      `${field} is missing: ${kind.kind} is a namespaced kind, say in which namespace the object belongs`,
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

/** Runs `attempt` by the retry rule of its operation. */
export async function retrying<T>(session: PatchSession, rule: RetryRule, attempt: () => Promise<T>): Promise<T> {
  const onRetry = (err: unknown, delayMs: number): void =>
    session.log.debug({ err, delayMs }, 'patch operation retried');
  return withRetries(attempt, { rule, signal: session.signal, onRetry });
}

/** The outcome of a write that answered with the object: `unchanged` when its version is one we know. */
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
