import type { KubeClient, KubeRequest } from '../../src/kube/client.ts';
import type { KindReference, Kinds, ResourceKind } from '../../src/kube/kind.ts';
import { KindNotFoundError, KubeError } from '../../src/errors.ts';

/** One request as `METHOD path?query` and the response: a value, or an error to reject with. */
export type Exchange = readonly [request: string, answer: unknown];

/** A client with a script: each request must be the next one in it. */
export interface KubeConversation extends KubeClient {
  readonly requests: readonly KubeRequest[];
  /** The exchanges that have not been requested. */
  readonly rest: readonly Exchange[];
}

export function kubeConversation(script: readonly Exchange[]): KubeConversation {
  const requests: KubeRequest[] = [];
  const rest = [...script];
  const unsupported = (): never => {
    throw new Error('not scripted');
  };
  return {
    requests,
    rest,
    async request(request) {
      requests.push(request);
      const [expected, answer] = rest.shift() ?? ['nothing more', undefined];
      const line = describe(request);
      if (line !== expected) throw new Error(`the script expected ${expected}, received ${line}`);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    bytes: unsupported,
    lines: unsupported,
    chunks: unsupported,
    close: async () => {},
  };
}

/** A refusal as the server words it. */
export function refusal(status: number, reason: string, message: string, retryAfterMs?: number): KubeError {
  return new KubeError(message, { status, reason, ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

/** Discovery of a fixed list of kinds, by Kind alone or with the apiVersion. */
export function fixedKinds(kinds: readonly ResourceKind[]): Kinds & { readonly invalidations: () => number } {
  let invalidations = 0;
  return {
    invalidations: () => invalidations,
    async resolve({ kind, apiVersion }: KindReference) {
      const found = kinds.find((known) => known.kind === kind && (apiVersion ?? known.apiVersion) === known.apiVersion);
      if (found === undefined) throw new KindNotFoundError(`no kind ${kind}`);
      return found;
    },
    invalidate() {
      invalidations += 1;
    },
  };
}

/** A kind with the names discovery would give it. */
export function resourceKind(apiVersion: string, kind: string, isNamespaced = true): ResourceKind {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const singular = kind.toLowerCase();
  return {
    group,
    version,
    apiVersion,
    kind,
    plural: `${singular}s`,
    singular,
    shortNames: [],
    isNamespaced,
    verbs: [],
    subresources: [],
  };
}

function describe({ method, path, query }: KubeRequest): string {
  return `${method} ${path}${query === undefined ? '' : `?${new URLSearchParams({ ...query }).toString()}`}`;
}
