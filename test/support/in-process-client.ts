import { isJsonObject, type JsonObject, type Sandbox } from '@hooklet/sandbox';
import { KubeError } from '../../src/errors.ts';
import type { KubeClient, KubeRequest } from '../../src/kube/client.ts';
import { refusalError } from '../../src/kube/status-error.ts';

/** A request as the server saw it. */
export interface MadeRequest {
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject;
}

/** A client whose requests reach a sandbox without sockets, so that they work under virtual time. */
export interface InProcessClient extends Pick<KubeClient, 'request'> {
  readonly requests: readonly MadeRequest[];
  /** What happens to requests from now on; `lost` ones are processed, but their response never arrives. */
  link: 'up' | 'down' | 'lost';
  /** Refuses each request for which it returns a status. */
  refuse: (request: MadeRequest) => number | undefined;
}

/** How long each request takes. */
const LATENCY_MS = 5;

export function inProcessClient(sandbox: Sandbox): InProcessClient {
  const requests: MadeRequest[] = [];
  const client: InProcessClient = {
    requests,
    link: 'up',
    refuse: () => undefined,
    async request({ method, path, query = {}, body, contentType, timeoutMs = 30_000 }: KubeRequest, signal) {
      const made = { method, path, body: parsed(body) };
      requests.push(made);
      const what = `${method} ${path}`;
      if (client.link === 'down') return silence(what, timeoutMs, signal);
      await pause(LATENCY_MS, signal);
      const code = client.refuse(made);
      if (code !== undefined) throw refusalError(what, { status: code, headers: {}, body: forbidden(what) });
      const search = new URLSearchParams(query).toString();
      const target = search === '' ? path : `${path}?${search}`;
      const answer = await sandbox.call(method, target, body === undefined ? undefined : made.body, contentType);
      if (client.link === 'lost') return silence(what, timeoutMs, signal);
      await pause(LATENCY_MS, signal);
      if (answer.code < 300) return structuredClone(answer.body);
      throw refusalError(what, { status: answer.code, headers: {}, body: JSON.stringify(answer.body) });
    },
  };
  return client;
}

function parsed(body: string | Uint8Array | undefined): JsonObject {
  const value: unknown = JSON.parse(typeof body === 'string' ? body : '{}');
  return isJsonObject(value) ? value : {};
}

function forbidden(what: string): string {
  return JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'Forbidden', message: `${what} is forbidden` });
}

async function silence(what: string, timeoutMs: number, signal: AbortSignal): Promise<never> {
  await pause(timeoutMs, signal);
  throw new KubeError(`${what}: no answer`, { status: 0, reason: 'Timeout' });
}

function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
