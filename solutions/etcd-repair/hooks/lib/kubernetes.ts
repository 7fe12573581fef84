import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 15_000;

export interface Answer {
  readonly status: number;
  /** The object, or why it could not be read. */
  readonly body: { readonly message?: string };
}

/** A request fails until somebody changes rights or mounts. */
export class NotAllowedError extends Error {}

/** Requests to the API server for data that snapshots do not have, as the ServiceAccount of the Pod. */
export class Kubernetes {
  readonly #accountDir: string;
  readonly #signal: AbortSignal;

  /** `accountDir` is where the ServiceAccount of the Pod is mounted. */
  constructor({ accountDir }: { readonly accountDir: string }, signal: AbortSignal) {
    this.#accountDir = accountDir;
    this.#signal = signal;
  }

  /** Rejects where it is refused. */
  async get<T>(path: string): Promise<T> {
    const { status, body } = await this.#ask('GET', path);
    if (status === 200) return body as T;
    const why = `GET ${path} was answered with ${status}: ${body.message ?? ''}`;
    throw status === 401 || status === 403 ? new NotAllowedError(why) : new Error(why);
  }

  /** Creates an object in a dry run, with admission and quotas. */
  async dryRun(path: string, object: object): Promise<Answer> {
    return this.#ask('POST', `${path}?dryRun=All`, JSON.stringify(object));
  }

  async #ask(method: string, path: string, body?: string): Promise<Answer> {
    const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = process.env;
    if (host === '') throw new NotAllowedError('KUBERNETES_SERVICE_HOST is not set: the hook has to run in a Pod');
    const { token, ca } = await this.#account();
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(`https://${isIPv6(host) ? `[${host}]` : host}:${port}${path}`, {
      method,
      ca,
      agent: false,
      headers: { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/json' },
      signal: AbortSignal.any([this.#signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.end(body);
    const response = await promise;
    return { status: response.statusCode ?? 0, body: parsed(await textOf(response)) };
  }

  /** Read each time, because it is rotated. */
  async #account(): Promise<{ readonly token: string; readonly ca: string }> {
    const read = async (file: string): Promise<string> => readFile(join(this.#accountDir, file), 'utf8');
    try {
      return { token: await read('token'), ca: await read('ca.crt') };
    } catch (error) {
      throw new NotAllowedError(`no ServiceAccount in ${this.#accountDir} (REPAIR_ACCOUNT_DIR)`, { cause: error });
    }
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`the API server answered with more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A proxy may answer with an HTML page. */
function parsed(text: string): Answer['body'] {
  try {
    return JSON.parse(text) as Answer['body'];
  } catch {
    return { message: text.slice(0, 300) };
  }
}
