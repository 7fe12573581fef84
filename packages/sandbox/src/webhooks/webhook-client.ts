import { Agent, request as httpsRequest } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { JsonObject } from '../json.ts';
import { until } from '../until.ts';
import { decodedAnswer } from './decoded-answer.ts';
import { networkProblem, statusProblem } from './network-problem.ts';
import { callFailure, type Called, type WebhookCall } from './webhook-call.ts';
import { endpointOf, type Endpoint, type FindService } from './webhook-endpoint.ts';

/** A webhook that answers 429 or 5xx with Retry-After is asked this often again. */
const MAX_RETRIES = 10;

/** More of an answer is not read. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Agents of this many certificate authorities are kept. */
const MAX_AGENTS = 100;

/** Calls webhooks over HTTPS, with connections that are used again. */
export class WebhookClient {
  readonly #findService: FindService;
  readonly #agents = new Map<string, Agent>();

  readonly #checksCertificates: boolean;

  constructor(findService: FindService, checksCertificates = true) {
    this.#findService = findService;
    this.#checksCertificates = checksCertificates;
  }

  /** Posts a review and returns the answer; never fails otherwise. */
  async call(call: WebhookCall): Promise<Called> {
    const endpoint = endpointOf(call, this.#findService);
    if (endpoint.type === 'failure') return endpoint;
    const deadline = performance.now() + call.timeoutSeconds * 1000;
    for (let retry = 0; ; retry += 1) {
      const answered = await this.#post(endpoint, call.body, deadline);
      if (answered.type !== 'later') return answered;
      const waitMs = answered.seconds * 1000;
      if (retry === MAX_RETRIES) return callFailure(answered.message);
      await until(Math.min(waitMs, deadline - performance.now()), () => () => {});
      if (performance.now() >= deadline) return callFailure(`Post "${endpoint.url}": context deadline exceeded`);
    }
  }

  /** Closes all connections. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  async #post(endpoint: Endpoint, body: JsonObject, deadline: number): Promise<Called | Later> {
    const first = await post(endpoint, this.#agentFor(endpoint), body, deadline);
    // The server closed a connection that was kept, just as it was used again.
    return first.type === 'stale' ? fresh(await post(endpoint, this.#agentFor(endpoint), body, deadline)) : first;
  }

  #agentFor({ ca }: Endpoint): Agent {
    const key = ca ?? '';
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    if (this.#agents.size >= MAX_AGENTS) this.close();
    // As in Go, every certificate of the bundle is trusted, not only those at the root of a chain.
    const rejectUnauthorized = this.#checksCertificates;
    const agent = new Agent({
      keepAlive: true,
      allowPartialTrustChain: true,
      rejectUnauthorized,
      ...(ca === undefined ? {} : { ca }),
    });
    this.#agents.set(key, agent);
    return agent;
  }
}

interface Later {
  readonly type: 'later';
  readonly seconds: number;
  readonly message: string;
}

interface Stale {
  readonly type: 'stale';
  readonly message: string;
}

function fresh(answered: Called | Later | Stale): Called | Later {
  return answered.type === 'stale' ? callFailure(answered.message) : answered;
}

async function post(
  endpoint: Endpoint,
  agent: Agent,
  body: JsonObject,
  deadline: number,
): Promise<Called | Later | Stale> {
  const prefix = `Post "${endpoint.url}": `;
  let result: Called | Later | Stale = callFailure(`${prefix}context deadline exceeded`);
  await until(Math.max(deadline - performance.now(), 0), (done) => {
    const outgoing = open(endpoint, agent, body);
    outgoing.on('response', (incoming) => {
      read(incoming, (read) => {
        result = read;
        done();
      });
    });
    outgoing.on('error', (error: Error) => {
      const message = prefix + networkProblem(error, endpoint);
      result = isReset(error) && outgoing.reusedSocket ? { type: 'stale', message } : callFailure(message);
      done();
    });
    return () => outgoing.destroy();
  });
  return result;
}

function isReset(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

function open({ connectTo, url, serverName }: Endpoint, agent: Agent, body: JsonObject): ClientRequest {
  const text = JSON.stringify(body);
  const { pathname, search, host } = new URL(url);
  const outgoing = httpsRequest({
    agent,
    method: 'POST',
    host: connectTo.hostname.replace(/^\[|\]$/g, ''),
    port: connectTo.port === '' ? 443 : connectTo.port,
    path: pathname + search,
    ...(serverName === undefined ? {} : { servername: serverName }),
    headers: {
      host,
      'user-agent': 'kube-apiserver-admission',
      accept: 'application/json, */*',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    },
  });
  outgoing.end(text);
  return outgoing;
}

function read(incoming: IncomingMessage, finish: (result: Called | Later) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes <= MAX_ANSWER_BYTES) return;
    incoming.removeAllListeners('end').destroy();
    finish(callFailure(`the response is larger than ${MAX_ANSWER_BYTES} bytes`));
  });
  incoming.on('end', () => finish(answerOf(incoming, Buffer.concat(chunks).toString('utf8'))));
  incoming.on('error', () => {
    const what = 'unexpected error when reading response body. Please retry. Original error';
    finish(callFailure(`${what}: unexpected EOF`));
  });
}

function answerOf(incoming: IncomingMessage, text: string): Called | Later {
  const code = incoming.statusCode ?? 0;
  if (code >= 200 && code < 300) return decodedAnswer(text, code, incoming.headers['content-type'] ?? '');
  const message = statusProblem(code, text);
  const seconds = Number.parseInt(incoming.headers['retry-after'] ?? '', 10);
  const later = (code === 429 || code >= 500) && seconds >= 0;
  return later ? { type: 'later', seconds, message } : callFailure(message);
}
