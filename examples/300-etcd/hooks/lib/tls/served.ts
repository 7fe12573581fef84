import { METRICS_PORT } from '../cluster.ts';
import type { Served } from '../etcd-port.ts';
import { presentedCertificate } from '../etcd-repair/certificate-end.ts';

const LIMIT_MS = 5000;

/** The certificate and the clock of each member that answers. */
export async function servedBy(endpoints: readonly string[], signal: AbortSignal): Promise<readonly Served[]> {
  const looks = endpoints.map(async (endpoint) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const certificate = presentedCertificate(new URL(endpoint), limit);
    const [shown, clockMs] = await Promise.all([certificate, clockOf(endpoint, limit)]);
    return shown === undefined
      ? []
      : [{ endpoint, fingerprint: shown.fingerprint256, ...(clockMs !== undefined && { clockMs }) }];
  });
  return (await Promise.all(looks)).flat();
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
