/*
 * Lends a spawner process to one life of an operator after the other, because starting one takes longer than most hooks.
 * The borrower cannot tell: what it closes or kills is reset, so that its hooks are killed at once, and what comes after
 * that belongs to the next borrower. A process that does not answer is killed, and another one is started.
 */

import { latch } from '../../lib/latch.ts';
import { clearOuterTimeout, setOuterTimeout } from '../../lib/outer-time.ts';
import { encodeMessage } from '../../runner/messages.ts';
import { type SpawnerChannel, startSpawnerChild, type SpawnerChild } from '../../runner/spawner-child.ts';
import type { SpawnerReport, SpawnerRequest } from '../../runner/spawner-protocol.ts';

const RESET_LIMIT_MS = 5000;
const RESET_REQUEST = encodeMessage<SpawnerRequest>({ type: 'reset' });
const RESET_REPORT = Buffer.from(encodeMessage<SpawnerReport>({ type: 'reset' }));

/** Spawner processes, each lent to one borrower at a time; `start` starts one. */
export class LentSpawners {
  readonly #start: () => SpawnerChild;
  readonly #all = new Set<KeptSpawner>();

  constructor(start = (): SpawnerChild => startSpawnerChild(process.env)) {
    this.#start = start;
  }

  /** Starts a process before it is needed. */
  prepare(): void {
    if (this.#free === undefined) this.#add();
  }

  /** A process as new. */
  take(): SpawnerChild {
    return (this.#free ?? this.#add()).lend();
  }

  /** Kills all processes. */
  end(): void {
    for (const { spawner } of this.#all) spawner.child.kill('SIGKILL');
  }

  get #free(): KeptSpawner | undefined {
    return [...this.#all].find(({ isFree }) => isFree);
  }

  #add(): KeptSpawner {
    const kept = new KeptSpawner(this.#start());
    this.#all.add(kept);
    void kept.spawner.ended.then(() => this.#all.delete(kept));
    return kept;
  }
}

/** A process, and who has it: nobody, a borrower, or nobody any more until it answers that it is as new. */
class KeptSpawner {
  readonly spawner: SpawnerChild;
  #state: 'free' | 'lent' | 'resetting' | 'dead' = 'free';
  #borrower: Borrower | undefined;
  /** The end of what came while it is reset: a chunk may end within the answer. */
  #tail = Buffer.alloc(0);

  constructor(spawner: SpawnerChild) {
    this.spawner = spawner;
    spawner.channel?.on('data', (chunk) => this.#receive(chunk));
    void spawner.ended.then((reason) => {
      this.#state = 'dead';
      this.#borrower?.over(reason);
    });
  }

  get isFree(): boolean {
    return this.#state === 'free';
  }

  lend(): SpawnerChild {
    const { child, channel } = this.spawner;
    const borrower = new Borrower({
      write: (text) => channel?.write(text) === true,
      reset: () => void this.#reset(borrower),
    });
    this.#state = 'lent';
    this.#borrower = borrower;
    return {
      // Who kills it twice gets no answer.
      child: {
        pid: child.pid,
        kill: () => (this.#state === 'resetting' ? child.kill('SIGKILL') : this.#reset(borrower)),
      },
      channel: channel === undefined ? undefined : borrower,
      ended: borrower.ended,
    };
  }

  /** Resets it for the next borrower; a process that does not answer is killed. */
  #reset(borrower: Borrower): boolean {
    if (this.#borrower !== borrower || this.#state !== 'lent') return false;
    const { child, channel } = this.spawner;
    if (channel?.writable !== true) return child.kill('SIGKILL');
    this.#state = 'resetting';
    this.#tail = Buffer.alloc(0);
    channel.write(RESET_REQUEST);
    const timer = setOuterTimeout(() => child.kill('SIGKILL'), RESET_LIMIT_MS);
    void borrower.ended.then(() => clearOuterTimeout(timer));
    return true;
  }

  #receive(chunk: Buffer): void {
    if (this.#state !== 'resetting') {
      this.#borrower?.receive(chunk);
      return;
    }
    // The answer is the last line: nothing follows until somebody asks.
    this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-RESET_REPORT.length);
    if (!this.#tail.equals(RESET_REPORT)) return;
    this.#state = 'free';
    this.#borrower?.over('signal SIGKILL');
    this.#borrower = undefined;
  }
}

interface BorrowerParts {
  readonly write: (text: string) => boolean;
  readonly reset: () => void;
}

/** The channel as one borrower sees it. */
class Borrower implements SpawnerChannel {
  readonly #parts: BorrowerParts;
  readonly #ended = latch<string>();
  #listener: (chunk: Buffer) => void = () => {};
  writable = true;

  constructor(parts: BorrowerParts) {
    this.#parts = parts;
  }

  /** Resolves with the way it ended. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  write(text: string): boolean {
    return this.writable && this.#parts.write(text);
  }

  on(_: 'data', listener: (chunk: Buffer) => void): void {
    this.#listener = listener;
  }

  receive(chunk: Buffer): void {
    if (this.writable) this.#listener(chunk);
  }

  /** The process is not the borrower's any more. */
  over(how: string): void {
    this.writable = false;
    this.#ended.resolve(how);
  }

  end(): void {
    this.writable = false;
    this.#parts.reset();
  }

  destroy(): void {
    this.end();
  }
}
