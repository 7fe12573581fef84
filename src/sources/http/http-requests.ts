/*
 * Takes the requests to `/trigger/<hook>/<binding>`: finds the binding, finds out who the caller is, and makes the
 * request a trigger, which goes through a queue as an event does. The server calls `admit` for each request before its
 * body is read, and then what that returns: a token is checked before, a signature with the body. What must hold: a
 * caller that shows nothing learns nothing but that it must; nothing of what shows who the caller is reaches the hook; a
 * flood of requests costs neither memory without bound, nor requests to the API server without bound, and what strangers
 * send uses up no limit of known callers.
 */

import { randomUUID } from 'node:crypto';
import type { Hook } from '../../hook/binding.ts';
import type { HttpBinding } from '../../hook/http-binding.ts';
import type { HttpTrigger } from '../../hook/trigger.ts';
import type { Logger } from '../../log.ts';
import { goDuration, parseDuration } from '../../lib/duration.ts';
import type { OpenRequests, RequestEnd } from './open-requests.ts';
import { requestView, type ViewedRequest } from './request-view.ts';
import { RequestRates } from './request-rates.ts';
import { githubProblem, signatureProblem, slackProblem } from './signature.ts';
import type { TokenAccess } from './token-access.ts';

export interface HttpRequestsOptions {
  /** The hook with this name, if it is loaded. */
  readonly hookNamed: (name: string) => Hook | undefined;
  /** Makes a trigger of a hook a task in its queue. */
  readonly emit: (hook: Hook, trigger: HttpTrigger) => void;
  /** Why this replica takes no requests of a hook, such as that another one leads; undefined when it takes them. */
  readonly refusal: (hook: Hook) => string | undefined;
  readonly open: OpenRequests;
  readonly tokenAccess: (token: string, hook: string, source: string) => Promise<TokenAccess>;
  /** The secret in a file; rejects when it cannot be read. */
  readonly readSecret: (file: string) => Promise<Uint8Array>;
  readonly now: () => number;
  readonly log: Logger;
}

/** A request whose body has not been read. */
export interface TriggerHead extends Omit<ViewedRequest, 'body'> {
  /** The client, for limits by source. */
  readonly source: string;
  readonly signal: AbortSignal;
}

/** A request, with its body. */
export type TriggerRequest = TriggerHead & ViewedRequest;

/** What becomes of a request whose head is known. */
export type TriggerAdmission =
  | { readonly type: 'refused'; readonly reply: TriggerAnswer }
  | { readonly type: 'known'; readonly maxBodyBytes: number; readonly take: TakeRequest }
  /** Its body shows who the caller is; `verify` resolves to why it is refused, or to what takes it. */
  | { readonly type: 'signed'; readonly maxBodyBytes: number; readonly verify: VerifyRequest };

/** Answers a request; rejects only when its signal aborts. */
export type TakeRequest = (request: TriggerRequest) => Promise<TriggerAnswer>;
export type VerifyRequest = (request: TriggerRequest) => Promise<TriggerAnswer | TakeRequest>;

/** A JSON document for the caller. */
export interface TriggerAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The first part of the path of every request. */
export const TRIGGER_PATH = '/trigger/';
/** The longest time that a caller may wait for the end of the run. */
export const MAX_WAIT_MS = 60_000;
const RETRY_SOON = { 'retry-after': '5' };

type Refused = Extract<TriggerAdmission, { readonly type: 'refused' }>;
type Caller = { readonly type: 'known'; readonly name: string } | Refused;
type Signing = Exclude<HttpBinding['authentication'], { readonly type: 'token' }>;

/** The requests of all hooks; see above. */
export class HttpRequests {
  readonly #options: HttpRequestsOptions;
  readonly #rates: RequestRates;
  /** When the log last said of a binding that its callers cannot be checked. */
  readonly #warnedAtMs = new WeakMap<HttpBinding, number>();

  constructor(options: HttpRequestsOptions) {
    this.#options = options;
    this.#rates = new RequestRates(options.now);
  }

  /** Decides by the head of a request; rejects only when its signal aborts. */
  async admit(head: TriggerHead): Promise<TriggerAdmission> {
    const target = this.#targetOf(head.path);
    if (target === undefined) return refused(404, `no hook has an http binding at ${head.path.slice(0, MAX_SHOWN)}`);
    if (head.method !== 'POST') return refused(405, 'only POST', { allow: 'POST' });
    const waitMs = waitOf(head.query);
    if (waitMs === undefined) {
      return refused(400, `wait: expected a duration up to ${goDuration(MAX_WAIT_MS)}, such as 10s`);
    }
    const { maxBodyBytes, authentication } = target.binding;
    const takeFrom =
      (caller: string): TakeRequest =>
      async (request) =>
        this.#take(request, { ...target, caller, waitMs });
    if (authentication.type === 'token') {
      const caller = await this.#checked(target, head, async () => this.#tokenCaller(head, target.hook.name));
      return caller.type === 'refused' ? caller : { type: 'known', maxBodyBytes, take: takeFrom(caller.name) };
    }
    const missing = signatureProblem(authentication.type, head, this.#options.now());
    if (missing !== undefined) return refused(401, missing);
    const verify: VerifyRequest = async (request) => {
      const caller = await this.#checked(target, request, async () => this.#signer(request, authentication));
      return caller.type === 'refused' ? caller.reply : takeFrom(caller.name);
    };
    return { type: 'signed', maxBodyBytes, verify };
  }

  async #take(request: TriggerRequest, accepted: Accepted): Promise<TriggerAnswer> {
    const { binding } = accepted;
    // After the caller is known: strangers must not use up what the binding takes.
    const retryAfterS = this.#rates.refusal(binding);
    if (retryAfterS !== undefined) {
      const { perMinute, burst } = binding.rateLimit;
      return tooMany(`this hook takes ${burst} requests at once, and ${perMinute} a minute`, retryAfterS);
    }
    return this.#emit(request, accepted);
  }

  async #emit(request: TriggerRequest, { hook, binding, caller, waitMs }: Accepted): Promise<TriggerAnswer> {
    const { open, refusal, emit, now } = this.#options;
    const refused = refusal(hook);
    if (refused !== undefined) return problem(503, refused, RETRY_SOON);
    const view = requestView(request);
    if (!open.hasRoomFor(view.length)) return problem(503, 'too many requests wait for their runs', RETRY_SOON);
    const runId = randomUUID();
    const trigger: HttpTrigger = { type: 'http', binding, runId, receivedAtMs: now(), caller, request: view };
    open.add(hook, trigger);
    emit(hook, trigger);
    if (waitMs === 0) return { status: 202, body: { runId } };
    const end = await open.ended(runId, waitMs, request.signal);
    if (end !== undefined) return answerOf(runId, end);
    const lastError = open.lastError(runId);
    return { status: 202, body: { runId, ...(lastError !== undefined && { lastError }) } };
  }

  #targetOf(path: string): Target | undefined {
    const segments = decoded(path.slice(TRIGGER_PATH.length));
    const slash = segments?.lastIndexOf('/') ?? -1;
    if (segments === undefined || slash === -1 || !path.startsWith(TRIGGER_PATH)) return undefined;
    const hook = this.#options.hookNamed(segments.slice(0, slash));
    const name = segments.slice(slash + 1);
    const binding = hook?.bindings.find((one) => one.type === 'http' && one.name === name);
    return hook === undefined || binding?.type !== 'http' ? undefined : { hook, binding };
  }

  /** Who the caller is; refused for now where that cannot be found out. */
  async #checked(target: Target, { signal }: TriggerHead, check: () => Promise<Caller>): Promise<Caller> {
    try {
      return await check();
    } catch (error) {
      if (signal.aborted) throw error;
      this.#warn(target, error);
      return refused(503, 'the caller cannot be checked now', RETRY_SOON);
    }
  }

  async #signer(request: TriggerRequest, { type, secretFile }: Signing): Promise<Caller> {
    const secret = await this.#options.readSecret(secretFile);
    if (secret.length === 0) throw new Error(`${secretFile} is empty`);
    const why = type === 'github' ? githubProblem(request, secret) : slackProblem(request, secret);
    return why === undefined ? { type: 'known', name: type } : refused(401, why);
  }

  /** Once a minute for each binding, because anybody may cause it. */
  #warn({ hook, binding }: Target, error: unknown): void {
    const { now, log } = this.#options;
    const nowMs = now();
    if (nowMs - (this.#warnedAtMs.get(binding) ?? Number.NEGATIVE_INFINITY) < WARN_EVERY_MS) return;
    this.#warnedAtMs.set(binding, nowMs);
    log.warn({ hook: hook.name, binding: binding.name, err: error }, 'the caller cannot be checked');
  }

  async #tokenCaller({ headers, source }: TriggerHead, hook: string): Promise<Caller> {
    const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (token === undefined) return refused(401, 'the header Authorization with a bearer token is missing', CHALLENGE);
    const access = await this.#options.tokenAccess(token, hook, source);
    if (access.type === 'allowed') return { type: 'known', name: access.user };
    if (access.type === 'busy') return { type: 'refused', reply: tooMany(access.message, access.retryAfterS) };
    return access.type === 'unknown' ? refused(401, access.message, CHALLENGE) : refused(403, access.message);
  }
}

interface Target {
  readonly hook: Hook;
  readonly binding: HttpBinding;
}

interface Accepted extends Target {
  readonly caller: string;
  readonly waitMs: number;
}

const MAX_SHOWN = 200;
const WARN_EVERY_MS = 60_000;
const CHALLENGE = { 'www-authenticate': 'Bearer' };

function refused(status: number, message: string, headers?: Readonly<Record<string, string>>): Refused {
  return { type: 'refused', reply: problem(status, message, headers) };
}

function tooMany(message: string, retryAfterS: number): TriggerAnswer {
  return problem(429, message, { 'retry-after': String(retryAfterS) });
}

function problem(status: number, message: string, headers?: Readonly<Record<string, string>>): TriggerAnswer {
  return { status, body: { error: message }, ...(headers && { headers }) };
}

function answerOf(runId: string, { outcome, message }: RequestEnd): TriggerAnswer {
  const body = { runId, outcome, ...(message !== undefined && { message }) };
  return { status: outcome === 'succeeded' ? 200 : 500, body };
}

/** The value of `?wait=` in milliseconds; 0 without it, undefined when it is none or too long. */
function waitOf(query: URLSearchParams): number | undefined {
  const text = query.get('wait');
  if (text === null) return 0;
  const waitMs = parseDuration(text);
  return waitMs === undefined || waitMs < 0 || waitMs > MAX_WAIT_MS ? undefined : waitMs;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
