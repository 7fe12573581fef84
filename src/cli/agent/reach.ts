import { exponentialBackoff } from '../../lib/backoff.ts';
import { messageOf } from '../../lib/message-of.ts';
import { printableLine } from '../../lib/printable.ts';
import { readRegular } from '../../lib/read-regular.ts';
import { shownText } from '../../lib/shown.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Parsed } from '../../lib/members.ts';
import type { Answer, Outgoing, Place, Wire } from './exchange.ts';
import { findPlaces, type Places } from './places.ts';
import { explainFailure, placeText } from './problems.ts';

/** What became of something that was asked. */
export type Reached<T> =
  | { readonly type: 'ok'; readonly value: T }
  | { readonly type: 'refused'; readonly status: number; readonly message: string }
  /** No replica gave an answer that counts, until the limit or the signal. */
  | { readonly type: 'unreached'; readonly why: string };

/** Something to ask the operator, with what its answer means. */
export interface Ask<T> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
  readonly maxBytes: number;
  /** Of a request at one place. */
  readonly limitMs: number;
  /** See `Outgoing`. */
  readonly isLong?: boolean;
  /** Reads an answer with the status 200. */
  readonly read: (answer: Answer) => Parsed<T>;
}

export interface ReachOptions {
  readonly urls: readonly URL[];
  readonly tokenFile: string;
  readonly wire: Wire;
  readonly times: ReachTimes;
  /** What has the certificates that are trusted, for people. */
  readonly authority: string;
  /** Called now and then while no replica answers, with what stands in the way. */
  readonly onUnreached: (why: string) => void;
}

export interface ReachTimes {
  /** The pauses between attempts. */
  readonly retry: { readonly initialMs: number; readonly maxMs: number };
  /** How often it says what cannot be reached. */
  readonly sayEveryMs: number;
}

/** How long something is asked. */
export interface Asking {
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** With these another attempt, or another replica, may be answered otherwise; so with all from 500. */
const TRANSIENT = new Set([401, 408, 429]);
const FIRST_ERROR = 400;
const FIRST_SERVER_ERROR = 500;
const JITTER = 0.2;
/** Of a request, however little time is left. */
const LEAST_REQUEST_MS = 500;
const MAX_SAID = 4;

/**
 * Asks replicas until one gives an answer that counts: the one that answered last, then all addresses of all URLs, then
 * again after a pause. What stands in the way is said now and then.
 */
export class Reach {
  readonly #options: ReachOptions;
  #last: Place | undefined;
  #finding: Promise<Places> | undefined;
  #saidAt = -Infinity;

  constructor(options: ReachOptions) {
    this.#options = options;
  }

  async until<T>(ask: Ask<T>, { limitMs, signal }: Asking): Promise<Reached<T>> {
    const endAt = performance.now() + limitMs;
    const backoff = exponentialBackoff({ ...this.#options.times.retry, jitter: JITTER });
    for (;;) {
      const requestMs = Math.min(ask.limitMs, Math.max(endAt - performance.now(), LEAST_REQUEST_MS));
      const reached = await this.once({ ...ask, limitMs: requestMs }, signal);
      if (reached.type !== 'unreached' || signal.aborted) return reached;
      const leftMs = endAt - performance.now();
      if (leftMs <= 0) return reached;
      await sleep(Math.min(backoff.next(), leftMs), signal);
      if (signal.aborted) return reached;
    }
  }

  /** The place that gave the last answer that counts, in words; undefined before there was one. */
  get where(): string | undefined {
    return this.#last && placeText(this.#last);
  }

  /** Asks each place once, until one gives an answer that counts. */
  async once<T>(ask: Ask<T>, signal: AbortSignal): Promise<Reached<T>> {
    const reached = await this.#round(ask, signal);
    if (reached.type === 'unreached' && !signal.aborted) this.#say(reached.why);
    return reached;
  }

  async #round<T>(ask: Ask<T>, signal: AbortSignal): Promise<Reached<T>> {
    let outgoing: Outgoing;
    try {
      outgoing = this.#outgoing(ask);
    } catch (error) {
      return { type: 'unreached', why: `the token cannot be read: ${messageOf(error)}` };
    }
    const problems: string[] = [];
    for await (const place of this.#places(problems)) {
      if (signal.aborted) break;
      const reached = await this.#askAt(place, { ask, outgoing, signal });
      if (reached.type !== 'unreached') {
        this.#last = place;
        return reached;
      }
      problems.push(reached.why);
    }
    return { type: 'unreached', why: saidOnce(problems) };
  }

  /** Names are looked up only where the last place is no good any more. */
  async *#places(problems: string[]): AsyncGenerator<Place, void, void> {
    const last = this.#last;
    if (last !== undefined) yield last;
    const found = await this.#find();
    problems.push(...found.problems);
    yield* found.places.filter((place) => !isSame(place, last));
  }

  /** One for all that wait: where DNS is silent, a lookup of each request would keep all that reads files from a turn. */
  async #find(): Promise<Places> {
    this.#finding ??= findPlaces(this.#options.urls).finally(() => (this.#finding = undefined));
    return this.#finding;
  }

  #outgoing<T>({ method, path, headers: own, body, maxBytes, limitMs, isLong = false }: Ask<T>): Outgoing {
    // Read each time: the kubelet replaces it before it expires.
    const authorization = `Bearer ${readRegular(this.#options.tokenFile).trim()}`;
    return { method, path, headers: { authorization, ...own }, body, maxBytes, limitMs, isLong };
  }

  async #askAt<T>(
    place: Place,
    { ask, outgoing, signal }: { readonly ask: Ask<T>; readonly outgoing: Outgoing; readonly signal: AbortSignal },
  ): Promise<Reached<T>> {
    try {
      return judge(place, ask, await this.#options.wire.exchange(place, outgoing, signal));
    } catch (error) {
      const { authority } = this.#options;
      const why = signal.aborted ? 'it was not waited for' : explainFailure(place, error, authority);
      return { type: 'unreached', why };
    }
  }

  #say(why: string): void {
    const now = performance.now();
    if (now - this.#saidAt < this.#options.times.sayEveryMs) return;
    this.#saidAt = now;
    this.#options.onUnreached(why);
  }
}

function judge<T>(place: Place, ask: Ask<T>, answer: Answer): Reached<T> {
  const { status } = answer;
  if (status === 200 || status === 204) {
    const parsed = ask.read(answer);
    if (parsed.type === 'read') return { type: 'ok', value: parsed.value };
    return { type: 'unreached', why: `${placeText(place)} gave an answer that cannot be read: ${parsed.problem}` };
  }
  const message = shownText(printableLine(textOf(answer).trim()));
  const isFinal = status >= FIRST_ERROR && status < FIRST_SERVER_ERROR && !TRANSIENT.has(status);
  if (isFinal) return { type: 'refused', status, message };
  return { type: 'unreached', why: `${placeText(place)} answered ${status}: ${message}` };
}

/** The body of an answer as text. */
export function textOf({ body }: Pick<Answer, 'body'>): string {
  return Buffer.concat(body).toString('utf8');
}

function isSame(place: Place, other: Place | undefined): boolean {
  return place.address === other?.address && place.url.href === other.url.href;
}

function saidOnce(problems: readonly string[]): string {
  const different = [...new Set(problems)];
  if (different.length === 0) return 'it has no address';
  const more = different.length > MAX_SAID ? ` (and ${different.length - MAX_SAID} more)` : '';
  return `${different.slice(0, MAX_SAID).join('; ')}${more}`;
}
