import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { UsageError } from '../errors.ts';
import { aborted } from '../lib/aborted.ts';
import { eventually } from '../lib/deadline.ts';
import type { Logger } from '../log.ts';
import { answerControl, type ControlAnswer, type ControlRouteOptions } from './control-routes.ts';
import { listenOnSocket, type UnixSocket } from './unix-socket.ts';

export interface ControlServerOptions extends ControlRouteOptions {
  readonly path: string;
  /** Whether the path was asked for, so that a living process there is a mistake. */
  readonly isRequired: boolean;
  readonly log: Logger;
}

export interface ControlServer {
  /** Serves until `signal` aborts, then closes. */
  run(signal: AbortSignal): Promise<void>;
  /** Sends the open answers and removes the socket file; more than once does no harm. */
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 500;

/**
 * Listens for what people ask of the schedules. Hooks run without it too: where it cannot listen, it says so and does
 * nothing; rejects with `UsageError` only for a path that was asked for and that another process has.
 */
export async function createControlServer(options: ControlServerOptions): Promise<ControlServer> {
  const { path, isRequired, log } = options;
  const server = createHttpServer((request, response) => {
    answerControl(request.method ?? 'GET', pathOf(request), options).then(
      (answer) => send(request, response, answer),
      (error: unknown) => {
        log.error({ err: error, path: request.url }, 'request to the control socket failed');
        send(request, response, { status: 500, body: { error: 'internal error' } });
      },
    );
  });
  try {
    const socket = await listenOnSocket(server, path);
    server.on('error', (error) => log.error({ err: error }, 'control socket failed'));
    log.debug({ socket: path }, 'listening for hooklet schedule');
    const close = async (): Promise<void> => closeServer(server, socket);
    return { run: async (signal) => aborted(signal).then(close), close };
  } catch (error) {
    if (isRequired && error instanceof UsageError) {
      throw new UsageError(`--debug-unix-socket: ${error.message}`, { cause: error });
    }
    log.warn({ err: error, socket: path }, 'no control socket, hooklet schedule list and the like do not work');
    return { run: async () => {}, close: async () => {} };
  }
}

async function closeServer(server: Server, socket: UnixSocket): Promise<void> {
  const late = (): void => server.closeAllConnections();
  await eventually<void>({ limitMs: CLOSE_GRACE_MS, late }, ({ resolve }) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  await socket.remove();
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const [path = '/'] = url.split('?', 1);
  return path;
}

function send(request: IncomingMessage, response: ServerResponse, { status, body, allow }: ControlAnswer): void {
  // Nothing here reads a body; without this a sender of one would be stuck.
  request.resume();
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(allow !== undefined && { allow }),
  });
  response.end(text);
}
