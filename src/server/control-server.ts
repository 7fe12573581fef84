import { UsageError } from '../errors.ts';
import type { DebugView } from '../hook/debug-view.ts';
import type { Logger } from '../log.ts';
import type { HttpAnswer, HttpRoute, RequestHead } from './answering.ts';
import type { ControlAnswer } from './control-answer.ts';
import { answerControl, type ControlRouteOptions } from './control-routes.ts';
import { answerDebug, isDebugPath, MAX_FORM_BYTES } from './debug-routes.ts';
import { openHttpServer, type HttpServer } from './http-server.ts';
import { createProfiles, isProfilePath } from './profiles.ts';

export interface ControlServerOptions extends ControlRouteOptions {
  readonly path: string;
  /** Whether the user chose the path; then another process that listens there is an error. */
  readonly isRequired: boolean;
  /** What the debug API shows; absent: there is none. */
  readonly debug?: DebugView;
  readonly log: Logger;
}

/** The control socket, which serves until `run` is aborted or `close` is called. */
export type ControlServer = Pick<HttpServer, 'run' | 'close'>;

// The answer limit is long: a trigger may wait for its schedule, and a change for the API server.
const BOUNDS = {
  maxConnections: 32,
  maxPending: 8,
  headersLimitMs: 5000,
  answerLimitMs: 60_000,
  bodies: { maxBytes: MAX_FORM_BYTES, limitMs: 5000 },
};

/**
 * Opens the control socket, through which `hooklet schedule`, `hooklet status` and others ask the operator. Hooks run without it too:
 * when it cannot listen, it logs that and returns a server that does nothing. Rejects with `UsageError` only when the
 * user chose the path and another process listens there.
 */
export async function createControlServer(options: ControlServerOptions): Promise<ControlServer> {
  const { path, isRequired, log } = options;
  try {
    const server = await openHttpServer({
      listen: { type: 'unix', path },
      bounds: BOUNDS,
      route: routing(options),
      explain: (status, error) => answerOf({ status, body: { error } }),
      failed: (error, url) => log.error({ err: error, path: url }, 'request to the control socket failed'),
      broken: (error) => log.error({ err: error }, 'control socket failed'),
    });
    log.debug({ socket: path }, 'listening for hooklet status and schedule');
    return server;
  } catch (error) {
    if (isRequired && error instanceof UsageError) {
      throw new UsageError(`--debug-unix-socket: ${error.message}`, { cause: error });
    }
    log.warn({ err: error, socket: path }, 'no control socket, hooklet status, schedule and the like do not work');
    return { run: async () => {}, close: async () => {} };
  }
}

/** The debug API of shell-operator, profiles, and what hooklet's own commands ask. */
function routing(options: ControlServerOptions): (head: RequestHead) => HttpRoute {
  const { debug } = options;
  const profiles = createProfiles();
  return ({ path }) => {
    if (isProfilePath(path)) return { handle: profiles };
    if (debug !== undefined && isDebugPath(path)) {
      return { maxBodyBytes: MAX_FORM_BYTES, handle: (request) => answerDebug(request, debug) };
    }
    return { handle: async (request) => answerOf(await answerControl(request, options)) };
  };
}

function answerOf({ status, body, allow }: ControlAnswer): HttpAnswer {
  return {
    status,
    type: 'application/json',
    body: `${JSON.stringify(body)}\n`,
    ...(allow !== undefined && { headers: { allow } }),
  };
}
