/*
 * Records runs. It stands before the executor, where it sees what a hook is given and what it writes, and takes the record
 * of the run when it has ended. Both go to a thread, which masks what is secret and packs the rest; what comes back is
 * kept in a `RecordingStore`.
 *
 * What must hold: no run waits for it, and what it holds is bounded: a run that is too large, or that comes while too much
 * waits for the thread, is only noted. Nothing is kept that was not masked.
 */

import type { Hook } from '../../hook/binding.ts';
import type { RecordingControl } from '../../hook/run-control.ts';
import { Bell } from '../../lib/bell.ts';
import { within } from '../../lib/deadline.ts';
import type { Logger } from '../../log.ts';
import type { ExecuteRequest, Execution, Executor } from '../../runner/executor.ts';
import type { KeptRecord } from '../kept-records.ts';
import { PackingThread } from './packing-thread.ts';
import { rawRunOf } from './raw-run.ts';
import { RecordingStore, type RecordingPlace } from './recording-store.ts';

export interface RecorderOptions {
  readonly place: RecordingPlace;
  /** What all recordings may take. */
  readonly maxBytes: number;
  /** The version of hooklet. */
  readonly hooklet: string;
  /** The key of the marks; what has it can try guesses. */
  readonly key: Uint8Array;
  readonly hashOf: (hook: Hook) => Promise<string | undefined>;
  readonly log: Logger;
  readonly now: () => number;
  readonly limits?: Partial<typeof LIMITS>;
  /** The file that the thread runs; default: the one beside this. */
  readonly thread?: string;
}

const LIMITS = {
  /** The contexts and the files of one run together. */
  runBytes: 4 * 1024 * 1024,
  /** What runs that have not ended and the thread hold. */
  heldBytes: 32 * 1024 * 1024,
  /** A thread that answers later is ended. */
  threadMs: 30_000,
  endMs: 5000,
};
const RAW_COST = 1024;

interface Live {
  readonly request: ExecuteRequest;
  readonly contexts: Uint8Array<ArrayBuffer>;
  readonly hash: Promise<string | undefined>;
  execution?: Execution;
}

/** See above. */
export class Recorder implements RecordingControl {
  readonly #options: RecorderOptions;
  readonly #limits: typeof LIMITS;
  readonly #store: RecordingStore;
  readonly #live = new Map<string, Live>();
  readonly #thread: PackingThread;
  /** The bytes of runs that have not ended. */
  #held = 0;
  /** What is written to the place, one after the other. */
  #writing: Promise<void> = Promise.resolve();

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#store = new RecordingStore(options.place, options.maxBytes);
    this.#thread = new PackingThread({
      ...options,
      limitMs: this.#limits.threadMs,
      onRecorded: (recorded, sent) => {
        if (recorded.type === 'refused') this.#store.note(recorded.id, recorded.why);
        else this.#write(async () => this.#store.add(recorded.id, recorded.bytes, sent));
      },
      onLost: (id) => this.#store.note(id, 'it could not be recorded'),
    });
  }

  state(id: string): ReturnType<RecordingStore['state']> {
    return this.#store.state(id);
  }

  async read(id: string): Promise<Uint8Array | undefined> {
    return this.#store.read(id);
  }

  /** The executor that notices what is recorded. */
  executor(inner: Pick<Executor, 'execute'>): Pick<Executor, 'execute'> {
    return {
      execute: async (request, signal) => {
        const live = this.#begin(request);
        if (live === undefined) return inner.execute(request, signal);
        const execution = await inner.execute(request, signal);
        live.execution = execution;
        return execution;
      },
    };
  }

  /** Takes the record of a run that ended. */
  ended(record: KeptRecord): void {
    const live = this.#live.get(record.id);
    if (live === undefined) return;
    this.#forget(record.id, live);
    if (live.execution === undefined) return;
    const outputs: Readonly<Record<string, string>> = { ...live.execution.outputs };
    const bytes = live.contexts.length + Object.values(outputs).reduce((sum, text) => sum + text.length, RAW_COST);
    if (!this.#isRoom(record.id, bytes)) return;
    const nowMs = this.#options.now();
    this.#thread.add(record.id, { bytes, atMs: nowMs, isFailed: record.isFailed, endedAtMs: nowMs });
    void this.#send(record, live, live.execution);
  }

  /** Reads what an earlier process kept, and works until `signal` aborts; then finishes what is left, for 5 s. */
  async run(signal: AbortSignal): Promise<void> {
    this.#write(async () => this.#store.fill());
    if (!signal.aborted) {
      const bell = new Bell();
      signal.addEventListener('abort', bell.ring, { once: true });
      await bell.rung();
    }
    const rest = async (): Promise<void> => {
      await this.#thread.idle();
      await this.#writing;
    };
    await within(rest(), { limitMs: this.#limits.endMs, late: () => {} });
    await this.#thread.end();
  }

  #begin(request: ExecuteRequest): Live | undefined {
    const { hook, runId, contexts: chunks } = request;
    if (hook.settings.record === false) {
      this.#store.note(runId, 'settings.record of its hook is false');
      return undefined;
    }
    const size = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
    if (!this.#isRoom(runId, size + RAW_COST)) return undefined;
    const contexts = new Uint8Array(size);
    let at = 0;
    for (const chunk of chunks) {
      contexts.set(chunk, at);
      at += chunk.byteLength;
    }
    const live: Live = { request, contexts, hash: this.#options.hashOf(hook) };
    live.hash.catch(() => {});
    this.#live.set(runId, live);
    this.#held += size + RAW_COST;
    return live;
  }

  #forget(id: string, { contexts }: Live): void {
    this.#live.delete(id);
    this.#held -= contexts.length + RAW_COST;
  }

  #isRoom(id: string, bytes: number): boolean {
    const { runBytes, heldBytes } = this.#limits;
    const isFull = this.#held + this.#thread.heldBytes + bytes > heldBytes;
    if (bytes > runBytes) this.#store.note(id, `it has ${bytes} bytes, and at most ${runBytes} of a run are recorded`);
    else if (isFull) this.#store.note(id, 'too many other runs were being recorded');
    return bytes <= runBytes && !isFull;
  }

  async #send(record: KeptRecord, { request, contexts, hash }: Live, execution: Execution): Promise<void> {
    const content = await hash.catch(() => undefined);
    await this.#thread.send(
      rawRunOf(record, { request, execution, contexts, hash: content, hooklet: this.#options.hooklet }),
    );
  }

  #write(work: () => Promise<void>): void {
    this.#writing = this.#writing.then(work).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'a recording of a run could not be kept');
    });
  }
}
