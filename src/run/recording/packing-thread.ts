import type { Worker } from 'node:worker_threads';
import { Bell } from '../../lib/bell.ts';
import type { Logger } from '../../log.ts';
import { siblingModule } from '../../runner/sibling-module.ts';
import type { EndedRaw } from './raw-run.ts';
import type { RecordedRun } from './recording-job.ts';
import type { EndedRun } from './recording-store.ts';

const THREAD_MIB = 768;

/** A run that the thread has. */
export interface SentRun extends EndedRun {
  readonly bytes: number;
  readonly atMs: number;
}

export interface PackingOptions {
  /** The key of the marks. */
  readonly key: Uint8Array;
  /** The file that the thread runs; default: the one beside this. */
  readonly thread?: string;
  /** A thread that answers later is ended. */
  readonly limitMs: number;
  readonly now: () => number;
  readonly log: Logger;
  /** Called with what came back. */
  readonly onRecorded: (recorded: RecordedRun, sent: SentRun) => void;
  /** Called for each run that a thread had which is gone. */
  readonly onLost: (id: string) => void;
}

/** The thread that masks and packs runs, and the runs that it has. It is started when it is needed. */
export class PackingThread {
  readonly #options: PackingOptions;
  readonly #sent = new Map<string, SentRun>();
  readonly #done = new Bell();
  #worker: Promise<Worker> | undefined;
  #heldBytes = 0;

  constructor(options: PackingOptions) {
    this.#options = options;
  }

  /** The bytes of the runs that it has. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Counts a run that is to be sent; ends a thread that has an older one for too long. */
  add(id: string, sent: SentRun): void {
    this.#sent.set(id, sent);
    this.#heldBytes += sent.bytes;
    this.#endLate();
  }

  /** Sends a run that was added. */
  async send(raw: EndedRaw): Promise<void> {
    try {
      this.#worker ??= this.#start();
      (await this.#worker).postMessage(raw, [raw.contexts.buffer]);
    } catch (error) {
      this.#lose(error);
    }
  }

  /** Waits until it has no run. */
  async idle(): Promise<void> {
    while (this.#sent.size > 0) await this.#done.rung();
  }

  /** Ends it, at once if it still has runs. */
  async end(): Promise<void> {
    if (this.#sent.size > 0) return this.#terminate();
    (await this.#worker?.catch(() => undefined))?.postMessage(null);
  }

  async #start(): Promise<Worker> {
    const { key, thread = siblingModule('recording-thread', import.meta.url) } = this.#options;
    const { Worker: Thread } = await import('node:worker_threads');
    const worker = new Thread(thread, { workerData: key, resourceLimits: { maxOldGenerationSizeMb: THREAD_MIB } });
    worker.unref();
    worker.on('message', (recorded: RecordedRun) => this.#take(recorded));
    const gone = (error: unknown): void => {
      // What else it tells is no longer about the thread that has the runs.
      worker.removeAllListeners();
      worker.on('error', () => {});
      this.#lose(error);
    };
    worker.on('error', gone);
    worker.on('exit', () => gone(new Error('the thread ended')));
    return worker;
  }

  #take(recorded: RecordedRun): void {
    const sent = this.#sent.get(recorded.id);
    if (sent === undefined) return;
    this.#settle(recorded.id, sent);
    this.#options.onRecorded(recorded, sent);
  }

  #settle(id: string, { bytes }: SentRun): void {
    this.#sent.delete(id);
    this.#heldBytes -= bytes;
    this.#done.ring();
  }

  /** What was sent to a thread that is gone is not recorded; the next run gets a new one. */
  #lose(error: unknown): void {
    this.#worker = undefined;
    if (this.#sent.size === 0) return;
    this.#options.log.warn({ err: error, runs: this.#sent.size }, 'runs could not be recorded');
    for (const [id, sent] of this.#sent) {
      this.#options.onLost(id);
      this.#settle(id, sent);
    }
  }

  #endLate(): void {
    const { now, limitMs } = this.#options;
    const [oldest] = this.#sent.values();
    if (oldest === undefined || now() - oldest.atMs < limitMs) return;
    void this.#terminate();
    this.#lose(new Error(`the thread took longer than ${limitMs / 1000} s`));
  }

  async #terminate(): Promise<void> {
    const worker = await this.#worker?.catch(() => undefined);
    worker?.removeAllListeners();
    await worker?.terminate();
  }
}
