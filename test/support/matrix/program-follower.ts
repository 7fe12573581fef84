import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { disordersOf, lastStates, sightingsOf, withoutRepeated, type Sighting } from '../fault-ledger.ts';
import type { SeenContext } from '../operator-rig.ts';
import type { Following } from './cell.ts';
import type { Write } from './writer.ts';

const LOOK_MS = 20;

/** Follows what a recording hook of a complete `hooklet` process received, read from the folder of its records. */
export class ProgramFollower implements Following {
  readonly restarts: readonly string[] = [];
  readonly #folder: string;
  readonly #runs = new Map<string, readonly SeenContext[]>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  get disorders(): readonly string[] {
    return disordersOf(this.#sightings());
  }

  states(): readonly string[] {
    return lastStates(this.#sightings()).filter((state) => !state.endsWith('='));
  }

  async hears(value: number, signal: AbortSignal): Promise<number | undefined> {
    for (;;) {
      const heardAtMs = this.#heardAtMs(value);
      if (heardAtMs !== undefined || signal.aborted) return heardAtMs;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** A list in between delivers only the last states, which are compared separately. */
  missed(_writes: readonly Write[]): readonly string[] {
    return [];
  }

  #heardAtMs(value: number): number | undefined {
    this.#read();
    for (const [name, contexts] of this.#runs) {
      const isThere = sightingsOf(contexts).some((sighting) => Number(sighting.value) >= value);
      // The records are named by the time in nanoseconds.
      if (isThere) return Number(name.split('.')[0]) / 1e6 - performance.timeOrigin;
    }
    return undefined;
  }

  #sightings(): readonly Sighting[] {
    this.#read();
    return sightingsOf(withoutRepeated([...this.#runs.values()]).flat());
  }

  #read(): void {
    if (!existsSync(this.#folder)) return;
    const names = readdirSync(this.#folder).filter((name) => !name.startsWith('.'));
    for (const name of names.toSorted()) {
      if (this.#runs.has(name)) continue;
      const contexts: readonly SeenContext[] = JSON.parse(readFileSync(`${this.#folder}/${name}`, 'utf8'));
      this.#runs.set(name, contexts);
    }
  }
}
