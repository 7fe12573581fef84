import type { Cluster } from '../cluster.ts';
import { RequestScope, Suspended } from '../request-scope.ts';
import { StatusError } from '../status-error.ts';

/** A request may take so long, with all calls of other servers. */
const LIMIT_MS = 60_000;

/** A cluster in the view of one request. */
export type ScopedCluster = Cluster & { readonly scope: RequestScope };

/** Does synchronous work that may need other servers: it is begun again whenever calls were made for it. */
export async function withCalls<Result>(cluster: Cluster, work: (cluster: ScopedCluster) => Result): Promise<Result> {
  const scope = new RequestScope(cluster.now());
  const scoped = { ...cluster, scope, now: () => scope.now };
  const deadline = performance.now() + LIMIT_MS;
  while (performance.now() < deadline) {
    scope.restart();
    try {
      return work(scoped);
    } catch (error) {
      if (!(error instanceof Suspended)) throw error;
      await scope.perform(error.calls);
    }
  }
  const message = 'Timeout: request did not complete within the allotted timeout';
  throw new StatusError({ code: 504, reason: 'Timeout', message, details: {} });
}
