import { connect } from 'node:tls';
import { METRICS_PORT } from '../cluster.ts';
import type { Served } from '../etcd-port.ts';

const LIMIT_MS = 5000;

/** What members show and by which clock they judge; nothing of those that do not answer. */
export async function servedBy(endpoints: readonly string[], signal: AbortSignal): Promise<readonly Served[]> {
  const looks = endpoints.map(async (endpoint) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const [fingerprint, clockMs] = await Promise.all([shownAt(new URL(endpoint), limit), clockOf(endpoint, limit)]);
    return fingerprint === undefined ? [] : [{ endpoint, fingerprint, ...(clockMs !== undefined && { clockMs }) }];
  });
  return (await Promise.all(looks)).flat();
}

/** Looks at the certificate and goes: what is expired is seen too, and nothing is said. */
async function shownAt({ hostname, port }: URL, limit: AbortSignal): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const socket = connect({ host: hostname, port: Number(port), servername: hostname, rejectUnauthorized: false });
  const end = (): void => {
    resolve(undefined);
    socket.destroy();
  };
  limit.addEventListener('abort', end, { once: true });
  socket.once('error', end);
  socket.once('secureConnect', () => {
    resolve(socket.getPeerX509Certificate()?.fingerprint256);
    socket.destroy();
  });
  return promise.finally(() => limit.removeEventListener('abort', end));
}

/** Answers of HTTP have the time of the server. */
async function clockOf(endpoint: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const answer = await fetch(`http://${new URL(endpoint).hostname}:${METRICS_PORT}/livez`, { signal });
    await answer.body?.cancel();
    const ms = Date.parse(answer.headers.get('date') ?? '');
    return Number.isNaN(ms) ? undefined : ms;
  } catch {
    return undefined;
  }
}
