/*
 * The HTTPS server that Pods which execute runs ask: those of Jobs at `/v1/jobs/<name of a Job>/…`, workers at
 * `/v1/workers…`, and probes at `/healthz`. It knows who asks, bounds, and the words on the wire; what is answered comes
 * from the desks. Only the replica that leads answers. Every request has a limit of its own, and who is not known yet takes
 * no place of those that are.
 */

import type { JobDesk } from '../../hook/job-desk.ts';
import { MAX_OUTPUT_BYTES } from '../../hook/remote-wire.ts';
import { MAX_RESULT_BODY_BYTES } from '../../hook/result-wire.ts';
import { MAX_CAPACITY } from '../../hook/work-desk.ts';
import type { Logger } from '../../log.ts';
import type { HttpRoute, RequestHead } from '../answering.ts';
import { openHttpServer, type HttpServer } from '../http-server.ts';
import type { Port } from '../listen-on-port.ts';
import type { Certificate } from '../tls-server.ts';
import { answering, DONE, textAnswer, unavailable } from './answers.ts';
import { openCallers, type Identify } from './callers.ts';
import { MAX_JOB_BYTES } from './job-endpoints.ts';
import { jobRoutes } from './job-routes.ts';
import { MAX_RESULTS_BYTES, openResultSlots } from './result-slots.ts';
import { MAX_WORK_BYTES } from './work-endpoints.ts';
import { isOfWorkers, NO_WORKERS, workRoutes, type Work } from './work-routes.ts';

export interface JobServerOptions extends Port {
  /** For new connections; called at the start and at each `renew`. */
  readonly certificate: () => Certificate;
  readonly desk: JobDesk;
  /** What answers workers; absent: they get a 404. */
  readonly work?: Work;
  /** Whose a token is; undefined for nobody's. It may reject where it cannot be found out now. */
  readonly identify: Identify;
  /** Why this replica answers no Pod, such as that it does not lead; undefined when it does. Default: it does. */
  readonly refusal?: () => string | undefined;
  readonly log: Logger;
}

const MAX_SHOWN_PATH = 200;
const BOUNDS = {
  // The Pod of a Job has one or two, and so has each of 500 workers.
  maxConnections: 2000,
  maxPending: 16,
  // Of a worker: lines and a result of each run, and what it asks of itself.
  maxPendingTrusted: 2 * MAX_CAPACITY + 32,
  headersLimitMs: 5000,
  answerLimitMs: 35_000,
  bodies: {
    maxBytes: MAX_RESULT_BODY_BYTES,
    // The largest body at half a MiB a second; who sends one is known by then.
    limitMs: 130_000,
    // How many arrive at the same time the slots bound.
    maxTotalBytes: MAX_RESULTS_BYTES + MAX_JOB_BYTES + MAX_WORK_BYTES,
  },
  closeGraceMs: 1000,
};

/** Opens the server; rejects with `UsageError` when it cannot listen, and with what `certificate` throws. */
export async function openJobServer(options: JobServerOptions): Promise<HttpServer> {
  const { address, port, flags, certificate, log } = options;
  return openHttpServer({
    listen: { type: 'tls', address, port, flags, certificate, alsoHttp2: true },
    bounds: BOUNDS,
    route: routesOf(options),
    explain: (status, text) => textAnswer(status, `hooklet: ${text}${status === 413 ? ADVICE : ''}`),
    failed: (error, url) =>
      log.error({ err: error, url: url.slice(0, MAX_SHOWN_PATH) }, 'request of a Pod that executes runs failed'),
    broken: (error) => log.error({ err: error }, 'server of Pods that execute runs failed'),
  });
}

const ADVICE = `; a result may have ${MAX_RESULT_BODY_BYTES} bytes, the lines of one request ${MAX_OUTPUT_BYTES}: write less in one run, or send less at once`;
const HEALTHZ: HttpRoute = { isAlwaysAnswered: true, handle: () => DONE };

function routesOf({ desk, work, identify, refusal, log }: JobServerOptions): (head: RequestHead) => HttpRoute {
  const callers = openCallers(identify, log);
  const { ofJob, ofWorker } = openResultSlots();
  const ofJobs = jobRoutes({ desk, callers, results: ofJob });
  const ofWorkers = work && workRoutes({ ...work, callers, results: ofWorker });
  return (head) => {
    if (head.path === '/healthz') return HEALTHZ;
    // Before any token is reviewed: a standby does nothing for who asks it.
    const why = refusal?.();
    if (why !== undefined) return answering(unavailable(why));
    if (!isOfWorkers(head.path)) return ofJobs(head);
    return ofWorkers === undefined ? NO_WORKERS : ofWorkers(head);
  };
}
