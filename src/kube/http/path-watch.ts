/*
 * Detects a broken network path under HTTP/1.1, which has no ping. While requests are in flight, a separate connection
 * (the canary) sends a probe every 2 s. When a probe is late, another connection is opened beside it and probed too. If
 * the new one is answered and the canary, which was open before, is not, the path of all older connections is broken:
 * those that received almost nothing since the probe are ended, so that their requests fail and are retried. If the new
 * one is not answered either, the server is down or slow, and nothing is ended before the canary has been silent for 15
 * s. A single broken connection is found by TCP keep-alive, or on a watch by its missing bookmarks. `http1.ts` calls
 * `used` for each request; probing stops when no connection is busy.
 */

import { within } from '../../lib/deadline.ts';
import { hedged } from '../../lib/hedge.ts';
import { sleep } from '../../lib/sleep.ts';
import { nextTurn } from '../../lib/turn.ts';
import type { DialAgent } from './dial-agent.ts';
import { timedOut, type Headers } from './http.ts';
import type { Line } from './http1-line.ts';

/** A request must be in flight for this long before its path is probed: most are done by then. */
const START_MS = 500;
const PROBE_EVERY_MS = 2000;
/** After this long without an answer the path is in doubt, and another connection is probed. */
const DOUBT_AFTER_MS = 1000;
/** After this long without an answer a new connection gets another one beside it. */
const FRESH_HEDGE_MS = 1500;
const FRESH_RETRY_MS = 500;
/** The limit of a probe. After it the connections are given up, even if no new one can be opened. */
const GIVE_UP_AFTER_MS = 15_000;
/** A connection that received this much since the probe was sent is alive; one that receives a byte a second is not. */
const PROGRESS_BYTES = 1024;

/** A connection that carries a request. */
export type WatchedLine = Pick<Line, 'bytesRead' | 'look' | 'heard' | 'end'>;

/** The agent that sends probes, with connections of its own. */
export type ProbeAgent = Pick<DialAgent, 'hasIdle' | 'end'>;

export interface PathWatchOptions<A extends ProbeAgent> {
  /** The agent that carries the requests. */
  readonly agent: { readonly busy: readonly WatchedLine[] };
  readonly createAgent: () => A;
  /** Sends any request; resolves when it is answered. */
  readonly probe: (agent: A, headers: Headers, signal: AbortSignal) => Promise<void>;
}

type Answer = 'answered' | 'failed' | 'late';

/** A connection and its byte count when a probe was sent. */
interface Sample {
  readonly line: WatchedLine;
  readonly bytes: number;
}

/** Probes the path of the connections of `agent` and ends those whose path is broken. */
export class PathWatch<A extends ProbeAgent> {
  readonly #options: PathWatchOptions<A>;
  readonly #end = new AbortController();
  /** The agent of the probes; undefined while no request is in flight. */
  #canary: A | undefined;
  #headers: Headers = {};
  #healthyAtMs = -Infinity;
  #isRunning = false;

  constructor(options: PathWatchOptions<A>) {
    this.#options = options;
  }

  /** When a probe was last answered, either within 1 s, or before an older probe. */
  get healthyAtMs(): number {
    return this.#healthyAtMs;
  }

  /** Called for each request; probes use the credentials of the latest one. */
  used(headers: Headers): void {
    this.#headers = headers;
    if (this.#isRunning || this.#end.signal.aborted) return;
    this.#isRunning = true;
    void this.#run().finally(() => {
      this.#isRunning = false;
    });
  }

  end(): void {
    const error = new Error('the client is closed');
    this.#end.abort(error);
    this.#canary?.end(error);
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    await sleep(START_MS, signal);
    while (!signal.aborted && this.#options.agent.busy.length > 0) {
      await this.#look(signal);
      await sleep(PROBE_EVERY_MS, signal);
    }
    this.#canary?.end(new Error('nothing is under way'));
    this.#canary = undefined;
  }

  async #look(signal: AbortSignal): Promise<void> {
    const samples = this.#options.agent.busy.map((line) => ({ line, bytes: line.bytesRead }));
    for (const { line } of samples) line.look();
    // An answer on a connection that is only now opened says nothing about the older ones.
    this.#canary ??= this.#options.createAgent();
    const wasOpen = this.#canary.hasIdle;
    const asked = this.#ask(this.#canary, GIVE_UP_AFTER_MS);
    const first = await within<Answer | undefined>(asked, { limitMs: DOUBT_AFTER_MS, late: () => undefined });
    if (first === 'answered') {
      this.#healthyAtMs = performance.now();
      this.#heard();
    }
    if (first !== undefined || signal.aborted) return;
    if ((await this.#askBeside(asked, signal)) && wasOpen) giveUp(samples);
  }

  /** Opens connections beside the silent one until either is answered; returns whether the silent one is dead. */
  async #askBeside(asked: Promise<Answer>, signal: AbortSignal): Promise<boolean> {
    let answer: Answer | undefined;
    const settled = asked.then((result) => {
      answer = result;
    });
    while (!signal.aborted) {
      const beside = new AbortController();
      const fresh = this.#openAnother(AbortSignal.any([signal, beside.signal]));
      const found = (await Promise.race([settled, fresh])) ?? undefined;
      // Answers that wait in sockets are read before the decision.
      await nextTurn();
      await nextTurn();
      if (answer === undefined && found !== undefined) {
        this.#healthyAtMs = performance.now();
        this.#replaceCanary(found);
        return true;
      }
      beside.abort(new Error('the probe is over'));
      void fresh.then((agent) => agent?.end(new Error('the probe is over')));
      if (answer === 'answered') this.#heard();
      if (answer !== undefined) return answer === 'late';
      await sleep(FRESH_RETRY_MS, signal);
    }
    return false;
  }

  /** Opens connections until one is answered; returns undefined if none is. */
  async #openAnother(signal: AbortSignal): Promise<A | undefined> {
    const open = async (end: AbortSignal): Promise<A> => {
      const agent = this.#options.createAgent();
      try {
        await this.#options.probe(agent, this.#headers, end);
        return agent;
      } catch (error) {
        agent.end(new Error('the probe failed'));
        throw error;
      }
    };
    try {
      return await hedged(open, {
        afterMs: FRESH_HEDGE_MS,
        limitMs: GIVE_UP_AFTER_MS,
        late: () => timedOut('no answer to a probe'),
        discard: (agent) => agent.end(new Error('the probe is over')),
        signal,
      });
    } catch {
      return undefined;
    }
  }

  #heard(): void {
    for (const line of this.#options.agent.busy) line.heard();
  }

  #replaceCanary(fresh: A): void {
    this.#canary?.end(timedOut('no answer to a probe, while another connection is answered'));
    this.#canary = fresh;
  }

  async #ask(agent: A, limitMs: number): Promise<Answer> {
    const controller = new AbortController();
    const late = (): Answer => {
      controller.abort(timedOut('no answer to a probe'));
      return 'late';
    };
    const answered = async (): Promise<Answer> => {
      try {
        await this.#options.probe(agent, this.#headers, AbortSignal.any([controller.signal, this.#end.signal]));
        return 'answered';
      } catch {
        return 'failed';
      }
    };
    return within(answered(), { limitMs, late });
  }
}

function giveUp(samples: readonly Sample[]): void {
  for (const { line, bytes } of samples) {
    if (line.bytesRead - bytes < PROGRESS_BYTES) {
      line.end(timedOut('no answer to a probe, while another connection is answered'));
    }
  }
}
