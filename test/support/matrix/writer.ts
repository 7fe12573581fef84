import { sleep } from '../../../src/lib/sleep.ts';

/** The API that the writer uses, which bypasses the faults. */
export interface MatrixApi {
  put(name: string, value: number): Promise<void>;
  remove(name: string): Promise<void>;
}

/** A write that the server has answered. */
export interface Write {
  readonly name: string;
  /** Increases over all objects; undefined for a deletion. */
  readonly value: number | undefined;
  readonly sentAtMs: number;
}

const OBJECTS = 5;
const INTERVAL_MS = 150;
const DELETED_EACH = 13;

/** Changes a few ConfigMaps in turn, and sometimes deletes one. */
export class MatrixWriter {
  readonly writes: Write[] = [];
  readonly #api: MatrixApi;
  #value = 0;

  constructor(api: MatrixApi) {
    this.#api = api;
  }

  /** Writes until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (let turn = 0; !signal.aborted; turn++) {
      await sleep(INTERVAL_MS, signal);
      if (!signal.aborted) await this.#write(`object-${turn % OBJECTS}`, turn % DELETED_EACH === DELETED_EACH - 1);
    }
  }

  /** The states after `value` was written and after each later write, as `name=value`, sorted and joined. */
  statesSince(value: number): ReadonlySet<string> {
    const last = new Map<string, number>();
    const states = new Set<string>();
    let isSince = false;
    for (const write of this.writes) {
      if (write.value === undefined) last.delete(write.name);
      else last.set(write.name, write.value);
      isSince ||= write.value === value;
      if (isSince) states.add(joined(Array.from(last, ([name, number]) => `${name}=${number}`)));
    }
    return states;
  }

  async #write(name: string, isDeletion: boolean): Promise<void> {
    const sentAtMs = performance.now();
    if (isDeletion) {
      await this.#api.remove(name);
      this.writes.push({ name, value: undefined, sentAtMs });
      return;
    }
    this.#value += 1;
    const value = this.#value;
    await this.#api.put(name, value);
    this.writes.push({ name, value, sentAtMs });
  }
}

function joined(states: readonly string[]): string {
  return states.toSorted().join(' ');
}
