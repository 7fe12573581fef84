import { sleep } from '../../../src/lib/sleep.ts';
import { seededRandom } from '../../cluster/chaos/random.ts';

/** Something that goes wrong; `act` resolves when it has. */
export interface ChaosFault {
  readonly name: string;
  readonly act: () => Promise<void>;
}

/** How faults and repairs take turns. */
export interface Chaos {
  readonly faults: readonly ChaosFault[];
  readonly rounds: number;
  /** The same seed gives the same faults in the same order. */
  readonly seed: number;
  /** Throws, with what is missing, until everything is as it should be. */
  readonly isWhole: () => Promise<void>;
  /** Makes ready for the next fault; its time is not counted. */
  readonly before?: () => Promise<void>;
  /** Time that a repair may take, 180 s by default. */
  readonly limitMs?: number;
  readonly tell?: (line: string) => void;
}

/** A fault that was repaired, and after what time. */
export interface ChaosRound {
  readonly fault: string;
  readonly seconds: number;
}

const NEVER = new AbortController().signal;
const PAUSE_MS = 50;

/**
 * Lets one fault after the other happen, each of them first in turn and at random then, and waits after each until all
 * is whole. Rejects with the fault that is not repaired in time, and what is still missing.
 */
export async function chaosRounds(chaos: Chaos): Promise<readonly ChaosRound[]> {
  const { faults, rounds, seed, before = async () => {}, tell = () => {} } = chaos;
  const random = seededRandom(seed);
  const all: ChaosRound[] = [];
  for (let round = 0; round < rounds; round++) {
    const fault = faults[round] ?? faults[Math.floor(random() * faults.length)];
    if (fault === undefined) throw new Error('chaosRounds: expected faults, received none');
    await before();
    await wholeWithin(chaos, 'what came before');
    const startedMs = performance.now();
    await fault.act();
    await wholeWithin(chaos, fault.name);
    const seconds = Math.round((performance.now() - startedMs) / 10) / 100;
    all.push({ fault: fault.name, seconds });
    tell(`round ${round + 1} of ${rounds}: ${fault.name}, whole after ${seconds} s`);
  }
  return all;
}

async function wholeWithin({ isWhole, limitMs = 180_000 }: Chaos, after: string): Promise<void> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    try {
      await isWhole();
      return;
    } catch (error) {
      if (performance.now() > endMs) {
        throw new Error(`not whole ${limitMs / 1000} s after: ${after}`, { cause: error });
      }
    }
    await sleep(PAUSE_MS, NEVER);
  }
}

/** The times of all rounds and of each fault, in lines. */
export function chaosFigures(rounds: readonly ChaosRound[]): readonly string[] {
  const byFault = Map.groupBy(rounds, ({ fault }) => fault);
  return [['all', rounds] as const, ...byFault].map(([name, own]) => {
    const sorted = own.map(({ seconds }) => seconds).toSorted((a, b) => a - b);
    const quantile = (part: number): number => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
    return `${name}: ${own.length} rounds, time to repair p50 ${quantile(0.5)} s, p99 ${quantile(0.99)} s`;
  });
}
