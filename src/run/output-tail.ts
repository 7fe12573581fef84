import type { RunLine } from '../hook/run-record.ts';

const MAX_LINES = 200;
const MAX_BYTES = 48 * 1024;
const MAX_LINE_CHARS = 4000;
/** What a line costs besides its text. */
const LINE_COST = 64;
/** Lines that left the tail are removed from its array in bulk, because shifting it is slow. */
const SWEEP_AT = 256;

/** Lines of a tail, with the number of the first of them, counted from 0 over all lines of the run. */
export interface TailLines {
  readonly from: number;
  readonly lines: readonly RunLine[];
}

/**
 * The end of what a run printed: at most 200 lines and 48 KiB of memory. Each line that a hook prints goes through `push`,
 * so it does no more than to append and to count.
 */
export class OutputTail {
  readonly #lines: RunLine[] = [];
  /** The index in the array of the first line that is kept. */
  #start = 0;
  /** The number of lines that were removed from the array. */
  #removed = 0;
  #bytes = 0;

  /** The memory it takes; a character counts as two bytes, as it may have that many. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of lines that were pushed. */
  get count(): number {
    return this.#removed + this.#lines.length;
  }

  push(stream: RunLine['stream'], text: string): void {
    const line = text.length > MAX_LINE_CHARS ? cutLine(text) : text;
    this.#lines.push({ stream, line });
    this.#bytes += costOf(line);
    while (this.#bytes > MAX_BYTES || this.#lines.length - this.#start > MAX_LINES) this.#forget();
    if (this.#start > SWEEP_AT) this.#sweep();
  }

  /** Forgets all its lines; they still count. */
  clear(): void {
    this.#removed += this.#lines.length;
    this.#lines.length = 0;
    this.#start = 0;
    this.#bytes = 0;
  }

  /** The lines that are kept, from the one with the number `after`. */
  lines(after = 0): TailLines {
    const from = Math.max(after, this.#removed + this.#start);
    return { from, lines: this.#lines.slice(from - this.#removed) };
  }

  #forget(): void {
    const first = this.#lines[this.#start];
    this.#start += 1;
    this.#bytes -= costOf(first?.line ?? '');
  }

  #sweep(): void {
    this.#lines.splice(0, this.#start);
    this.#removed += this.#start;
    this.#start = 0;
  }
}

function costOf(line: string): number {
  return 2 * line.length + LINE_COST;
}

/** A copy: a slice would keep the whole line in memory. */
function cutLine(line: string): string {
  return `${Buffer.from(line.slice(0, MAX_LINE_CHARS)).toString()}…`;
}
