import type { Pause } from '../../hook/pause-control.ts';
import type { DeadLetter } from '../../hook/dead-control.ts';
import { aborted } from '../../lib/aborted.ts';
import { Bell } from '../../lib/bell.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Change } from '../../state/records.ts';
import type { Kept } from '../../state/kept.ts';
import type { KeptWords } from '../../state/kept-log.ts';

/** A record of the store: all dead letters, or all pauses by hand. */
export interface Remembered {
  readonly letters?: readonly DeadLetter[];
  readonly pauses?: readonly Pause[];
}

/** One record, where it is at home in this process. */
export interface RememberedPart {
  readonly key: 'letters' | 'pauses';
  /** What is to be stored now in place of what is stored. */
  readonly current: (stored: Remembered | undefined) => Remembered;
  /** Adds what was stored by an earlier process; called once. */
  readonly restore: (stored: Remembered) => void;
}

export interface RememberOptions {
  readonly kept: Pick<Kept<Remembered>, 'isKept' | 'ready' | 'refresh' | 'get' | 'update' | 'run'>;
  readonly parts: readonly RememberedPart[];
}

/** How log lines name what is persisted. */
export const REMEMBERED_WORDS: KeptWords = {
  what: 'record of dead letters and pauses',
  one: 'record of dead letters or pauses',
  unreachable: 'what it has is not known yet',
  refused: 'they are in memory only, until the operator ends',
};

/** Writes in a burst are one. */
export const WRITE_AFTER_MS = 1000;
/** How long a reader waits for a store that does not answer. */
const OPEN_LIMIT_MS = 10_000;

/**
 * Persists dead letters and pauses, which are in memory. The store is neither read nor written before `open` or
 * `changed` is called, so an operator that gives nothing up needs no rights for it. What an earlier process stored is
 * added at the first read. There is one writer, the leader; where objects are divided, each replica writes the letters of
 * its own slices (`SlicedLetters`), and the leader alone the pauses.
 */
export class Remember {
  readonly #options: RememberOptions;
  readonly #bell = new Bell();
  readonly #changed = new Set<RememberedPart>();
  readonly #restored = new Set<RememberedPart>();
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: RememberOptions) {
    this.#options = options;
  }

  /** Whether changes survive a restart, as far as is known. */
  get isKept(): boolean {
    return this.#options.kept.isKept;
  }

  /** Reads the store once; resolves when that is done, the store refused, or it does not answer for 10 s. */
  async open(signal: AbortSignal): Promise<void> {
    const { kept, parts } = this.#options;
    const limit = new AbortController();
    const end = AbortSignal.any([signal, limit.signal]);
    await Promise.race([kept.ready(end), sleep(OPEN_LIMIT_MS, end)]);
    limit.abort();
    for (const part of parts) this.#restore(part, kept.get(part.key));
  }

  /** Reads what others have stored by now; undefined when `signal` aborts first. */
  async fresh(key: RememberedPart['key'], signal: AbortSignal): Promise<Remembered | undefined> {
    const { kept } = this.#options;
    await kept.refresh(signal);
    return signal.aborted ? undefined : (kept.get(key) ?? {});
  }

  /** Resolves when what has changed is written, or `signal` aborts. */
  async flush(signal: AbortSignal): Promise<void> {
    const write = this.#changed.size > 0 ? this.#write(signal) : Promise.resolve();
    // One that began before may be under way.
    await Promise.race([Promise.all([write, this.#writing]), aborted(signal)]);
  }

  /** A part is to be written, at the latest when `run` ends. */
  changed(key: RememberedPart['key']): void {
    for (const part of this.#options.parts) if (part.key === key) this.#changed.add(part);
    this.#bell.ring();
  }

  /** Writes what changed until `signal` aborts, then what is left for a few seconds at most. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const end = new AbortController();
    const running = this.#options.kept.run(stop.signal);
    try {
      while (!signal.aborted) {
        await this.#due(signal);
        if (!signal.aborted) await this.#write(AbortSignal.any([signal, end.signal]));
      }
    } finally {
      // A change is queued in this turn, so `kept` writes it before it ends.
      const last = this.#write(end.signal);
      stop.abort();
      await running;
      end.abort();
      await last;
    }
  }

  async #due(signal: AbortSignal): Promise<void> {
    if (this.#changed.size === 0) await Promise.race([this.#bell.rung(), aborted(signal)]);
    await sleep(WRITE_AFTER_MS, signal);
  }

  async #write(signal: AbortSignal): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    const writes = changed.map(async (part) => {
      let isWritten = false;
      const change: Change<Remembered, void> = (stored) => {
        this.#restore(part, stored);
        isWritten = true;
        return { record: part.current(stored), result: undefined };
      };
      await this.#options.kept.update(part.key, change, signal);
      // What is stored from now on is what this process wrote.
      if (isWritten && !signal.aborted) this.#restored.add(part);
      else this.#changed.add(part);
    });
    const written = Promise.all([this.#writing, ...writes]);
    this.#writing = written;
    await written;
  }

  #restore(part: RememberedPart, stored: Remembered | undefined): void {
    if (stored === undefined || this.#restored.has(part)) return;
    this.#restored.add(part);
    part.restore(stored);
  }
}
