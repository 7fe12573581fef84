import { KindNotFoundError, KubeError } from '../../errors.ts';
import { abortable } from '../../lib/abortable.ts';
import { within } from '../../lib/deadline.ts';
import { shownName, shownText } from '../../lib/shown.ts';
import { sleep } from '../../lib/sleep.ts';
import type { KubeClient } from '../client.ts';
import { discover, type Discovery } from './discovery.ts';
import type { KindReference, Kinds, ResourceKind } from '../kind.ts';
import { findKind, nearMisses } from './kind-search.ts';

/** The server is not asked more often than this for a kind it does not have. */
const MIN_INTERVAL_MS = 1000;
/** For all requests of one discovery; then who waits for it is told, and it is asked anew. */
const DISCOVERY_LIMIT_MS = 120_000;

interface Asked {
  readonly startedAt: number;
  readonly discovery: Promise<Discovery>;
}

/** Discovery through `client`, asked when it is first needed and kept. */
export function createKinds(client: Pick<KubeClient, 'request'>): Kinds {
  let asked: Asked | undefined;
  let lastStartedAt = -Infinity;

  const ask = (): Asked => {
    lastStartedAt = performance.now();
    // Shared by all who wait, so that no single one of them may abort it.
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
      // Whoever waited for the answer need not ask again.
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
  return new KindNotFoundError(`the API server has no kind ${wanted}: ${hint}${unknown}`);
}

function describe({ kind, apiVersion }: ResourceKind): string {
  return `${kind} of ${apiVersion}`;
}
