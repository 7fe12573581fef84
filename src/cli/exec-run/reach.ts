import { EPOCH_HEADER, jobPath } from '../../hook/job-wire.ts';
import { exponentialBackoff } from '../../lib/backoff.ts';
import { messageOf } from '../../lib/message-of.ts';
import { printableLine } from '../../lib/printable.ts';
import { readRegular } from '../../lib/read-regular.ts';
import { shownText } from '../../lib/shown.ts';
import { sleep } from '../../lib/sleep.ts';
import { textOf, type Ask } from './asks.ts';
import type { JobEnvironment } from './environment.ts';
import type { Answer, Outgoing, Place, Wire } from './exchange.ts';
import { findPlaces } from './places.ts';
import { explainFailure, placeText } from './problems.ts';
import type { AgentTimes } from './times.ts';

/** What became of something that was asked. */
export type Reached<T> =
  | { readonly type: 'ok'; readonly value: T }
  | { readonly type: 'refused'; readonly status: number; readonly message: string }
  /** No replica gave an answer that counts, until the limit or the signal. */
  | { readonly type: 'unreached'; readonly why: string };

export interface ReachOptions {
  readonly environment: JobEnvironment;
  readonly wire: Wire;
  readonly times: Pick<AgentTimes, 'retry' | 'sayEveryMs'>;
  readonly say: (text: string) => void;
}

/** How long, and how, something is asked. */
export interface Asking {
  /** Of the claim; absent: of a claim itself. */
  readonly epoch?: number;
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
  #saidAt = -Infinity;

  constructor(options: ReachOptions) {
    this.#options = options;
  }

  async until<T>(ask: Ask<T>, { epoch, limitMs, signal }: Asking): Promise<Reached<T>> {
    const endAt = performance.now() + limitMs;
    const backoff = exponentialBackoff({ ...this.#options.times.retry, jitter: JITTER });
    for (;;) {
      const requestMs = Math.min(ask.limitMs, Math.max(endAt - performance.now(), LEAST_REQUEST_MS));
      const reached = await this.#round({ ...ask, limitMs: requestMs }, epoch, signal);
      if (reached.type !== 'unreached' || signal.aborted) return reached;
      this.#say(reached.why);
      const leftMs = endAt - performance.now();
      if (leftMs <= 0) return reached;
      await sleep(Math.min(backoff.next(), leftMs), signal);
      if (signal.aborted) return reached;
    }
  }

  async #round<T>(ask: Ask<T>, epoch: number | undefined, signal: AbortSignal): Promise<Reached<T>> {
    let outgoing: Outgoing;
    try {
      outgoing = this.#outgoing(ask, epoch);
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
    const found = await findPlaces(this.#options.environment.urls);
    problems.push(...found.problems);
    yield* found.places.filter((place) => !isSame(place, last));
  }

  #outgoing<T>({ method, what, query = '', body, maxBytes, limitMs }: Ask<T>, epoch: number | undefined): Outgoing {
    const { job, tokenFile } = this.#options.environment;
    // Read each time: the kubelet replaces it before it expires.
    const headers = {
      authorization: `Bearer ${readRegular(tokenFile).trim()}`,
      ...(epoch !== undefined && { [EPOCH_HEADER]: String(epoch) }),
    };
    return { method, path: `${jobPath(job, what)}${query}`, headers, body, maxBytes, limitMs };
  }

  async #askAt<T>(
    place: Place,
    { ask, outgoing, signal }: { readonly ask: Ask<T>; readonly outgoing: Outgoing; readonly signal: AbortSignal },
  ): Promise<Reached<T>> {
    try {
      return judge(place, ask, await this.#options.wire.exchange(place, outgoing, signal));
    } catch (error) {
      return { type: 'unreached', why: signal.aborted ? 'it was not waited for' : explainFailure(place, error) };
    }
  }

  #say(why: string): void {
    const now = performance.now();
    if (now - this.#saidAt < this.#options.times.sayEveryMs) return;
    this.#saidAt = now;
    this.#options.say(`the operator cannot be reached, it is tried again: ${why}`);
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

function isSame(place: Place, other: Place | undefined): boolean {
  return place.address === other?.address && place.url.href === other.url.href;
}

function saidOnce(problems: readonly string[]): string {
  const different = [...new Set(problems)];
  if (different.length === 0) return 'it has no address';
  const more = different.length > MAX_SAID ? ` (and ${different.length - MAX_SAID} more)` : '';
  return `${different.slice(0, MAX_SAID).join('; ')}${more}`;
}
