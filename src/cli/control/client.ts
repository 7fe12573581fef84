import { statSync } from 'node:fs';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { UsageError } from '../../errors.ts';
import { eventually } from '../../lib/deadline.ts';
import { isObject } from '../../lib/json-object.ts';

/** A request to the operator failed; the message is for the person at the command line. */
export class ControlFailure extends Error {
  override readonly name = 'ControlFailure';
}

/** Sends commands to a running operator over its control socket. */
export interface ControlClient {
  /** Resolves to the answer; rejects with `UsageError` for an unknown hook or binding, else with `ControlFailure`. */
  ask(method: 'GET' | 'POST', path: string, signal?: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  /** Resolves to the answer of the debug API as it is; rejects with `ControlFailure` for one that refuses. */
  fetch(request: DebugRequest, signal?: AbortSignal): Promise<Buffer>;
}

/** A request to the debug API; with a form it is a POST. */
export interface DebugRequest {
  readonly path: string;
  readonly form?: Readonly<Record<string, string>>;
}

/** The operator, streams and clock of a command that asks a running operator and prints text. */
export interface AskIo {
  readonly client: Pick<ControlClient, 'ask'>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly now: () => number;
}

/** The same for a command that may take longer, or print anything. */
export interface ControlIo extends AskIo {
  readonly client: ControlClient;
  /** Standard output for what is not text, such as a profile, or for a terminal. */
  readonly raw: (output: string | Uint8Array) => void;
  /** Aborts when the person at the terminal ends the command. */
  readonly signal: AbortSignal;
}

/** Runs a command; prints a `ControlFailure` to standard error and resolves to exit code 1. */
export async function withOperator(command: (io: ControlIo) => Promise<number>, io: ControlIo): Promise<number> {
  try {
    return await command(io);
  } catch (error) {
    if (!(error instanceof ControlFailure)) throw error;
    io.stderr(`hooklet: ${error.message}\n`);
    return 1;
  }
}

// A profile takes up to 50 s.
const ANSWER_LIMIT_MS = 60_000;
const FORM = 'application/x-www-form-urlencoded';

export function controlClient(socketPath: string): ControlClient {
  return {
    async ask(method, path, signal) {
      checkOwner(socketPath);
      const { status, bytes } = await exchange(socketPath, { method, path, signal });
      const body = recordIn(socketPath, bytes);
      if (status < 300) return body;
      const error = typeof body['error'] === 'string' ? body['error'] : `the operator answered ${status}`;
      if (status === 404) throw new UsageError(error);
      throw new ControlFailure(error);
    },
    async fetch({ path, form }, signal) {
      checkOwner(socketPath);
      const method = form === undefined ? 'GET' : 'POST';
      const body = form && new URLSearchParams(form).toString();
      const { status, bytes } = await exchange(socketPath, { method, path, signal, body });
      if (status < 300) return bytes;
      const text = bytes.toString().trim();
      throw new ControlFailure(text === '' ? `the operator answered ${status}` : text);
    },
  };
}

function recordIn(socketPath: string, bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(bytes.toString());
    return isObject(body) ? body : {};
  } catch (error) {
    const why = error instanceof Error ? error : new Error(String(error));
    throw new ControlFailure(unreachable(socketPath, why), { cause: error });
  }
}

/** Refuses a socket of another user: in a folder that others may write to, it might not be the operator's. */
function checkOwner(socketPath: string): void {
  const me = process.geteuid?.();
  const owner = ownerOf(socketPath);
  if (owner === undefined || me === undefined || owner === me || owner === 0) return;
  throw new ControlFailure(
    `${socketPath} belongs to user ${owner}, and you are user ${me}: ask as the user of the operator`,
  );
}

/** `undefined` when the socket cannot be examined; the request then fails with a better message. */
function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly signal: AbortSignal | undefined;
  /** A form, for a POST. */
  readonly body?: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
}

async function exchange(socketPath: string, { method, path, signal, body }: Sent): Promise<Answer> {
  const headers = body === undefined ? {} : { 'content-type': FORM, 'content-length': Buffer.byteLength(body) };
  const outgoing = request({ socketPath, method, path, headers });
  const late = (): never => {
    throw new ControlFailure(unreachable(socketPath, new Error(`no whole answer within ${ANSWER_LIMIT_MS / 1000} s`)));
  };
  return eventually<Answer>({ limitMs: ANSWER_LIMIT_MS, late, signal }, ({ resolve, reject }) => {
    const fail = (error: Error): void => reject(new ControlFailure(unreachable(socketPath, error), { cause: error }));
    outgoing.once('response', (response) => {
      buffer(response).then((bytes) => resolve({ status: response.statusCode ?? 0, bytes }), fail);
    });
    outgoing.on('error', fail).end(body);
    return () => outgoing.destroy();
  });
}

function unreachable(socketPath: string, error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  const why = WHY.get(code) ?? error.message;
  return `no operator to ask at ${socketPath}: ${why}.
Ask where it runs, such as: kubectl exec deployment/hooklet -- hooklet status
One that was started with another --tmp-dir or --debug-unix-socket needs the same here, or HOOKLET_DEBUG_UNIX_SOCKET.
hooklet dev has a folder of its own, which it prints under "try next".`;
}

const WHY: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['ECONNREFUSED', 'nobody listens there any more'],
  ['EACCES', 'it belongs to another user'],
  ['ENOTSOCK', 'that is no socket'],
]);
