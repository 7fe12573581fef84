import { KubeError } from '../../../src/errors.ts';
import type { KubeClient, KubeRequest } from '../../../src/kube/client.ts';
import { sleep } from '../../../src/lib/sleep.ts';

/** The API server as the kubelet uses it. `at` makes the paths. */
export interface Api {
  readonly client: KubeClient;
  /** Aborts all requests. */
  readonly signal: AbortSignal;
  /** Returns undefined if the object does not exist. */
  get<T>(path: string): Promise<T | undefined>;
  create<T>(path: string, object: object): Promise<T>;
  /** Sends a strategic merge patch. */
  patch(path: string, change: object): Promise<void>;
  /** Deletes an object; succeeds if it does not exist. */
  remove(path: string, options?: object): Promise<void>;
}

/** Makes an API whose requests end when `signal` aborts. */
export function apiOf(client: KubeClient, signal: AbortSignal): Api {
  const send = async <T>(request: KubeRequest): Promise<T> => (await client.request(request, signal)) as T;
  return {
    client,
    signal,
    get: async <T>(path: string) => absentAsUndefined(send<T>({ method: 'GET', path })),
    create: async <T>(path: string, object: object) => send<T>({ method: 'POST', path, body: JSON.stringify(object) }),
    patch: async (path, change) => {
      const contentType = 'application/strategic-merge-patch+json';
      await send({ method: 'PATCH', path, body: JSON.stringify(change), contentType });
    },
    remove: async (path, options = {}) => {
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...options });
      await absentAsUndefined(send({ method: 'DELETE', path, body }));
    },
  };
}

/** The path of a resource of the core group in a namespace, or of one object of it. */
export function at(namespace: string, resource: string, name?: string, subresource?: string): string {
  return ['/api/v1/namespaces', namespace, resource, name, subresource].filter((part) => part !== undefined).join('/');
}

const RETRY_MS = 200;

/** Repeats an action until it succeeds, fails because it is outdated, or `signal` aborts; throws if it is invalid. */
export async function insist(action: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await action();
      return;
    } catch (error) {
      if (isOutdated(error) || signal.aborted) return;
      if (!(error instanceof KubeError) || error.status === 422 || error.status === 400) throw error;
      await sleep(RETRY_MS, signal);
    }
  }
}

/**
 * Whether a request failed because it is outdated: its object does not exist (404), or was replaced or exists already
 * (409).
 */
export function isOutdated(error: unknown): boolean {
  return error instanceof KubeError && (error.status === 404 || error.status === 409);
}

async function absentAsUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return undefined;
    throw error;
  }
}
