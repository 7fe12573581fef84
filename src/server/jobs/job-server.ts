/*
 * The HTTPS server that the Pods of Jobs ask for their runs: `/v1/jobs/<name of a Job>/…`, and `/healthz`. It knows who
 * asks, bounds, and the words on the wire; what is answered comes from the desk. Only the replica that leads answers.
 * Every request has a limit of its own, and who is not known yet takes no place of those that are.
 */

import type { JobDesk } from '../../hook/job-desk.ts';
import { MAX_OUTPUT_BYTES } from '../../hook/remote-wire.ts';
import { MAX_RESULT_BODY_BYTES } from '../../hook/result-wire.ts';
import type { Logger } from '../../log.ts';
import { openHttpServer, type HttpServer } from '../http-server.ts';
import type { Port } from '../listen-on-port.ts';
import type { Certificate } from '../tls-server.ts';
import type { Identify } from './callers.ts';
import { textAnswer } from './answers.ts';
import { MAX_BYTES_AT_ONCE } from './endpoints.ts';
import { jobRoutes } from './job-routes.ts';

export interface JobServerOptions extends Port {
  /** For new connections; called at the start and at each `renew`. */
  readonly certificate: () => Certificate;
  readonly desk: JobDesk;
  /** Whose a token is; undefined for nobody's. It may reject where it cannot be found out now. */
  readonly identify: Identify;
  /** Why this replica answers no Pod, such as that it does not lead; undefined when it does. Default: it does. */
  readonly refusal?: () => string | undefined;
  readonly log: Logger;
}

const MAX_SHOWN_PATH = 200;
const BOUNDS = {
  // Each Pod has one or two.
  maxConnections: 1000,
  maxPending: 16,
  headersLimitMs: 5000,
  answerLimitMs: 35_000,
  bodies: {
    maxBytes: MAX_RESULT_BODY_BYTES,
    // The largest body at half a MiB a second; who sends one is known by then.
    limitMs: 130_000,
    maxArriving: 256,
    maxTotalBytes: MAX_BYTES_AT_ONCE,
  },
  closeGraceMs: 1000,
};

/** Opens the server; rejects with `UsageError` when it cannot listen, and with what `certificate` throws. */
export async function openJobServer(options: JobServerOptions): Promise<HttpServer> {
  const { address, port, flags, certificate, log } = options;
  return openHttpServer({
    listen: { type: 'tls', address, port, flags, certificate, alsoHttp2: true },
    bounds: BOUNDS,
    route: jobRoutes(options),
    explain: (status, text) => textAnswer(status, `hooklet: ${text}${status === 413 ? ADVICE : ''}`),
    failed: (error, url) => log.error({ err: error, url: url.slice(0, MAX_SHOWN_PATH) }, 'request of a Job failed'),
    broken: (error) => log.error({ err: error }, 'server of Jobs failed'),
  });
}

const ADVICE = `; a result may have ${MAX_RESULT_BODY_BYTES} bytes, the lines of one request ${MAX_OUTPUT_BYTES}: write less in one run, or send less at once`;
