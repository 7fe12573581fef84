/*
 * Dead letters where objects are divided. All replicas keep theirs in one record, and each letter is of the slice of its
 * object; what is about no object of a slice counts as of slice 00. Only who has the slice keeps the letter in memory,
 * shows it, retries it and writes it: a write leaves those of all other slices as they are stored. When a slice is taken,
 * its letters are read anew, and until then those that are stored are left alone; when it is given, they are written
 * before the other replica may take it, and then forgotten here.
 *
 * All together there are as many as one replica may have alone. Those of a replica that do not fit beside what the others
 * have stored are in its memory alone, the oldest first.
 */

import type { DeadLetter } from '../../hook/dead-control.ts';
import type { OwnSlice } from '../../hook/shard.ts';
import { Bell } from '../../lib/bell.ts';
import { exponentialBackoff } from '../../lib/backoff.ts';
import { sleep } from '../../lib/sleep.ts';
import { letterDocument } from '../../run/dead-letter-json.ts';
import { MAX_LETTER_BYTES, MAX_LETTERS, type DeadLetters } from '../../run/dead-letters.ts';
import type { OwnSlices } from '../../sources/kubernetes/own-slices.ts';

export interface SlicedLettersOptions {
  readonly slices: Pick<OwnSlices, 'owned' | 'follow'>;
  readonly letters: Pick<DeadLetters, 'all' | 'restore' | 'forget' | 'expect'>;
  /** Reads what all replicas have stored by now; undefined when `signal` aborts first. */
  readonly read: (signal: AbortSignal) => Promise<readonly DeadLetter[] | undefined>;
  /** What is stored may differ from what this replica has. */
  readonly onChange: () => void;
}

const RETRY = { initialMs: 500, maxMs: 10_000 } as const;

/** The letters of the own slices; see above. */
export class SlicedLetters {
  readonly #options: SlicedLettersOptions;
  /** The own slices whose letters were read. */
  readonly #read = new Set<OwnSlice>();
  readonly #bell = new Bell();
  readonly #waiting = new Set<Bell>();

  constructor(options: SlicedLettersOptions) {
    this.#options = options;
  }

  /** What is to be stored, where `stored` is there now. */
  merged(stored: readonly DeadLetter[]): readonly DeadLetter[] {
    const others = stored.filter((letter) => !this.#isWritten(letter));
    const own = this.#options.letters.all.filter((letter) => this.#isWritten(letter));
    return [...others, ...roomFor(own, others)];
  }

  /** The own slice that a letter is of; undefined where another replica has it. */
  sliceOf({ slice = 0 }: DeadLetter): OwnSlice | undefined {
    return this.#options.slices.owned.find(({ index }) => index === slice);
  }

  /** Resolves when the letters of all own slices were read, or `signal` aborts. */
  async caughtUp(signal: AbortSignal): Promise<void> {
    const bell = new Bell();
    this.#waiting.add(bell);
    signal.addEventListener('abort', bell.ring, { once: true });
    while (!signal.aborted && this.#unread().length > 0) await bell.rung();
    signal.removeEventListener('abort', bell.ring);
    this.#waiting.delete(bell);
  }

  /** Reads the letters of each slice that is taken, and forgets those of one that is given, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { slices, letters } = this.#options;
    const unfollow = slices.follow({
      taken: () => this.#bell.ring(),
      given: (slice) => {
        this.#read.delete(slice);
        letters.forget(({ slice: of = 0 }) => of === slice.index);
      },
    });
    signal.addEventListener('abort', this.#bell.ring, { once: true });
    const backoff = exponentialBackoff(RETRY);
    try {
      while (!signal.aborted) {
        if (this.#unread().length === 0) await this.#bell.rung();
        else if (await this.#readThem(signal)) backoff.reset();
        else await sleep(backoff.next(), signal);
      }
    } finally {
      unfollow();
      signal.removeEventListener('abort', this.#bell.ring);
    }
  }

  /** Only the slices that were taken before the read began: another replica may have written those after it. */
  async #readThem(signal: AbortSignal): Promise<boolean> {
    const { letters, read, onChange, slices } = this.#options;
    const unread = this.#unread();
    // What succeeds from now on must not come back with what was stored before.
    letters.expect(true);
    const stored = await read(signal);
    if (stored === undefined) return false;
    const found = unread.filter((slice) => slices.owned.includes(slice));
    const indices = new Set(found.map(({ index }) => index));
    letters.restore(stored.filter(({ slice = 0 }) => indices.has(slice)));
    for (const slice of found) this.#read.add(slice);
    if (this.#unread().length === 0) letters.expect(false);
    // What was given up or cleared here meanwhile is not stored yet.
    if (!isSame(stored, this.merged(stored))) onChange();
    for (const bell of this.#waiting) bell.ring();
    return true;
  }

  #unread(): readonly OwnSlice[] {
    return this.#options.slices.owned.filter((slice) => !this.#read.has(slice));
  }

  #isWritten(letter: DeadLetter): boolean {
    const slice = this.sliceOf(letter);
    return slice !== undefined && this.#read.has(slice);
  }
}

/** The newest of these letters that fit beside others, the oldest first. */
function roomFor(newestFirst: readonly DeadLetter[], others: readonly DeadLetter[]): readonly DeadLetter[] {
  let bytes = others.reduce((sum, letter) => sum + sizeOf(letter), 0);
  const fitting = newestFirst.slice(0, Math.max(0, MAX_LETTERS - others.length)).filter((letter) => {
    bytes += sizeOf(letter);
    return bytes <= MAX_LETTER_BYTES;
  });
  return fitting.toReversed();
}

function sizeOf(letter: DeadLetter): number {
  return Buffer.byteLength(JSON.stringify(letterDocument(letter))) + 1;
}

function isSame(stored: readonly DeadLetter[], wanted: readonly DeadLetter[]): boolean {
  const texts = new Set(stored.map((letter) => JSON.stringify(letterDocument(letter))));
  return stored.length === wanted.length && wanted.every((letter) => texts.has(JSON.stringify(letterDocument(letter))));
}
