import { KindNotFoundError, KubeError } from '../../errors.ts';
import { abortable } from '../../lib/abortable.ts';
import { within } from '../../lib/deadline.ts';
import { shownName, shownText } from '../../lib/shown.ts';
import { sleep } from '../../lib/sleep.ts';
import type { KubeClient } from '../client.ts';
import { discover, type Discovery } from './discovery.ts';
import type { KindReference, Kinds, ResourceKind } from '../kind.ts';
import { findKind, nearMisses } from './kind-search.ts';

/** Minimum time between two discoveries when a kind is missing. */
const MIN_INTERVAL_MS = 1000;
/**
 * Limit for all requests of one discovery; after it every waiting caller gets an error, and the next one starts a new
 * discovery.
 */
const DISCOVERY_LIMIT_MS = 120_000;

interface Asked {
  readonly startedAt: number;
  readonly discovery: Promise<Discovery>;
}

/** Discovers the kinds through `client` when they are first needed, and caches them. */
export function createKinds(client: Pick<KubeClient, 'request'>): Kinds {
  let asked: Asked | undefined;
  let lastStartedAt = -Infinity;

  const ask = (): Asked => {
    lastStartedAt = performance.now();
    // Not aborted by a caller's signal: all waiting callers share it.
    const fresh: Asked = { startedAt: lastStartedAt, discovery: discoverInTime(client) };
    fresh.discovery.catch(() => {
      if (asked === fresh) asked = undefined;
    });
    asked = fresh;
    return fresh;
  };

  return {
    async resolve(reference, signal) {
      const now = performance.now();
      const isCached = asked !== undefined;
      const first = asked ?? ask();
      const known = await abortable(first.discovery, signal);
      const found = findKind(known.kinds, reference);
      if (found !== undefined) return found;
      // This discovery was not cached before the call, so asking again would not help.
      if (!isCached || first.startedAt >= now) throw notFound(reference, known);

      if (asked === first) {
        await sleep(lastStartedAt + MIN_INTERVAL_MS - performance.now(), signal);
        signal.throwIfAborted();
      }
      const second = asked === undefined || asked === first ? ask() : asked;
      const renewed = await abortable(second.discovery, signal);
      const foundLater = findKind(renewed.kinds, reference);
      if (foundLater === undefined) throw notFound(reference, renewed);
      return foundLater;
    },
    invalidate() {
      asked = undefined;
    },
  };
}

async function discoverInTime(client: Pick<KubeClient, 'request'>): Promise<Discovery> {
  const end = new AbortController();
  const late = (): never => {
    const failure = { status: 0, reason: 'Timeout' };
    const error = new KubeError(`discovery did not end within ${DISCOVERY_LIMIT_MS / 1000} s`, failure);
    end.abort(error);
    throw error;
  };
  return within(discover(client, end.signal), { limitMs: DISCOVERY_LIMIT_MS, late });
}

function notFound(reference: KindReference, { kinds, failures }: Discovery): KindNotFoundError {
  const kind = shownName(reference.kind);
  const wanted = reference.apiVersion === undefined ? kind : `${kind} of ${shownName(reference.apiVersion)}`;
  const near = nearMisses(kinds, reference).map(describe);
  const hint = near.length === 0 ? 'is its CustomResourceDefinition installed?' : `did you mean ${near.join(' or ')}?`;
  const broken = failures.map(({ groupVersion, error }) => `${groupVersion}: ${error.message}`);
  const unknown = broken.length === 0 ? '' : `; discovery failed for ${shownText(broken.join('; '))}`;
  const group = groupOf(reference.apiVersion);
  const isSure = !failures.some(({ groupVersion }) => group === undefined || groupOf(groupVersion) === group);
  return new KindNotFoundError(`the API server has no kind ${wanted}: ${hint}${unknown}`, { isSure });
}

function groupOf(apiVersion: string | undefined): string | undefined {
  const [group = '', version] = apiVersion?.split('/') ?? [];
  return apiVersion === undefined || version !== undefined ? group || undefined : '';
}

function describe({ kind, apiVersion }: ResourceKind): string {
  return `${kind} of ${apiVersion}`;
}
