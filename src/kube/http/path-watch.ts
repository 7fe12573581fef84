import { within } from '../../lib/deadline.ts';
import { hedged } from '../../lib/hedge.ts';
import { sleep } from '../../lib/sleep.ts';
import { nextTurn } from '../../lib/turn.ts';
import type { DialAgent } from './dial-agent.ts';
import { timedOut, type Headers } from './http.ts';
import type { Line } from './http1-line.ts';

/** A request must be under way for so long before its path is watched: most are done by then. */
const START_MS = 500;
const PROBE_EVERY_MS = 2000;
/** Without an answer for so long the path is in doubt: a probe is sent on a new connection beside. */
const DOUBT_AFTER_MS = 1000;
/** A new connection that is not answered for so long gets another one beside it. */
const FRESH_HEDGE_MS = 1500;
const FRESH_RETRY_MS = 500;
/** Without an answer for so long the connections are given up, also when no new one can be opened. */
const GIVE_UP_AFTER_MS = 15_000;
/** A connection that brought as much since the probe was sent is alive; one that brings a byte a second is not. */
const PROGRESS_BYTES = 1024;

/** A connection that carries a request. */
export type WatchedLine = Pick<Line, 'bytesRead' | 'look' | 'heard' | 'end'>;

/** What probes go through: an agent with connections of its own. */
export type ProbeAgent = Pick<DialAgent, 'hasIdle' | 'end'>;

export interface PathWatchOptions<A extends ProbeAgent> {
  /** Carries the requests. */
  readonly agent: { readonly busy: readonly WatchedLine[] };
  readonly createAgent: () => A;
  /** Asks the server anything; resolves when it answers. */
  readonly probe: (agent: A, headers: Headers, signal: AbortSignal) => Promise<void>;
}

type Answer = 'answered' | 'failed' | 'late';

/** A connection as it was when a probe was sent. */
interface Sample {
  readonly line: WatchedLine;
  readonly bytes: number;
}

/**
 * HTTP/1.1 has no ping, so while requests are under way a connection of its own is asked every 2 s. When that one falls
 * silent and a new connection is answered, the path of the old ones is broken: all that brought nothing meanwhile are
 * given up. One that breaks alone is found by the keep-alive of TCP, or at a watch by the missing bookmarks.
 */
export class PathWatch<A extends ProbeAgent> {
  readonly #options: PathWatchOptions<A>;
  readonly #end = new AbortController();
  /** Its connection is for probes alone; there is none while nothing is under way. */
  #canary: A | undefined;
  #headers: Headers = {};
  #wellAtMs = -Infinity;
  #isRunning = false;

  constructor(options: PathWatchOptions<A>) {
    this.#options = options;
  }

  /** When a probe was answered last: at once, or before one that was sent sooner. */
  get wellAtMs(): number {
    return this.#wellAtMs;
  }

  /** A request with these headers is sent. */
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
    // What a connection that is opened only now tells says nothing of those that were open.
    this.#canary ??= this.#options.createAgent();
    const wasOpen = this.#canary.hasIdle;
    const asked = this.#ask(this.#canary, GIVE_UP_AFTER_MS);
    const first = await within<Answer | undefined>(asked, { limitMs: DOUBT_AFTER_MS, late: () => undefined });
    if (first === 'answered') {
      this.#wellAtMs = performance.now();
      this.#heard();
    }
    if (first !== undefined || signal.aborted) return;
    if ((await this.#askBeside(asked, signal)) && wasOpen) giveUp(samples);
  }

  /** Opens connections beside the silent one until one of them or that one answers; whether the silent one is dead. */
  async #askBeside(asked: Promise<Answer>, signal: AbortSignal): Promise<boolean> {
    let answer: Answer | undefined;
    const settled = asked.then((result) => {
      answer = result;
    });
    while (!signal.aborted) {
      const beside = new AbortController();
      const fresh = this.#openAnother(AbortSignal.any([signal, beside.signal]));
      const found = (await Promise.race([settled, fresh])) ?? undefined;
      // What waits to be read has its turn before the verdict.
      await nextTurn();
      await nextTurn();
      if (answer === undefined && found !== undefined) {
        this.#wellAtMs = performance.now();
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

  /** Opens connections until one is answered; undefined when none was. */
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
