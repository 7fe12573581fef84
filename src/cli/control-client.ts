import { statSync } from 'node:fs';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { UsageError } from '../errors.ts';
import { eventually } from '../lib/deadline.ts';

/** The operator could not be asked, or could not do it; the message is for the person who asked. */
export class ControlFailure extends Error {
  override readonly name = 'ControlFailure';
}

/** Asks an operator over its socket. */
export interface ControlClient {
  /** Resolves to the document; rejects with `UsageError` for names it does not know, else with `ControlFailure`. */
  ask(method: 'GET' | 'POST', path: string): Promise<Readonly<Record<string, unknown>>>;
}

const ANSWER_LIMIT_MS = 30_000;

export function controlClient(socketPath: string): ControlClient {
  return {
    async ask(method, path) {
      checkOwner(socketPath);
      const { status, body } = await exchange(socketPath, method, path);
      if (status < 300) return body;
      const error = typeof body['error'] === 'string' ? body['error'] : `the operator answered ${status}`;
      if (status === 404) throw new UsageError(error);
      throw new ControlFailure(error);
    },
  };
}

/** In a folder that others may write to, another user could answer in the place of the operator. */
function checkOwner(socketPath: string): void {
  const me = process.geteuid?.();
  const owner = ownerOf(socketPath);
  if (owner === undefined || me === undefined || owner === me || owner === 0) return;
  throw new ControlFailure(
    `${socketPath} belongs to user ${owner}, and you are user ${me}: ask as the user of the operator`,
  );
}

/** Undefined where it cannot be looked at, which the request says better. */
function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function exchange(socketPath: string, method: string, path: string): Promise<Answer> {
  const outgoing = request({ socketPath, method, path });
  const late = (): never => {
    throw new ControlFailure(unreachable(socketPath, new Error(`no whole answer within ${ANSWER_LIMIT_MS / 1000} s`)));
  };
  return eventually<Answer>({ limitMs: ANSWER_LIMIT_MS, late }, ({ resolve, reject }) => {
    const fail = (error: Error): void => reject(new ControlFailure(unreachable(socketPath, error), { cause: error }));
    outgoing.once('response', (response) => {
      json(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, body: isRecord(body) ? body : {} }),
        fail,
      );
    });
    outgoing.on('error', fail).end();
    return () => outgoing.destroy();
  });
}

function unreachable(socketPath: string, error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  const why = WHY.get(code) ?? error.message;
  return `no operator to ask at ${socketPath}: ${why}.
Ask where it runs, such as: kubectl exec deployment/hooklet -- hooklet schedule list
One that was started with another --tmp-dir or --debug-unix-socket needs the same here, or HOOKLET_DEBUG_UNIX_SOCKET.`;
}

const WHY: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['ECONNREFUSED', 'nobody listens there any more'],
  ['EACCES', 'it belongs to another user'],
  ['ENOTSOCK', 'that is no socket'],
]);

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
