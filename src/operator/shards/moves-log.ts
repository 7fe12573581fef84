import type { Logger } from '../../log.ts';
import { rangesText } from './shards-view.ts';

export interface MovesLogOptions {
  readonly log: Pick<Logger, 'info'>;
  /** The number of slices that this replica has. */
  readonly count: () => number;
}

/** Slices that move together come within this time. */
const TOGETHER_MS = 500;

/** Logs the slices that come and go, those that move together in one line. */
export class MovesLog implements Disposable {
  readonly #options: MovesLogOptions;
  readonly #taken = new Set<number>();
  readonly #given = new Set<number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MovesLogOptions) {
    this.#options = options;
  }

  taken(index: number): void {
    this.#taken.add(index);
    this.#wait();
  }

  given(index: number): void {
    this.#given.add(index);
    this.#wait();
  }

  /** Logs what has not been logged yet. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#tell(this.#given, 'slices given');
    this.#tell(this.#taken, 'slices taken');
  }

  #wait(): void {
    this.#timer ??= setTimeout(() => this[Symbol.dispose](), TOGETHER_MS).unref();
  }

  #tell(slices: Set<number>, message: string): void {
    if (slices.size === 0) return;
    this.#options.log.info({ slices: rangesText([...slices]), has: this.#options.count() }, message);
    slices.clear();
  }
}
