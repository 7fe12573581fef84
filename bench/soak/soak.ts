import { sleep } from '../../src/lib/sleep.ts';
import { findDifferences } from './audit.ts';
import { FaultSeries, SILENCE_LIMIT_MS, strike, type FaultWindow } from './faults.ts';
import { KINDS } from './kinds.ts';
import { Ledger } from './ledger.ts';
import { seededRandom, type Random } from './random.ts';
import { summarize, type SoakReport } from './report.ts';
import { SightingReader } from './sightings.ts';
import type { Stage } from './stage.ts';
import { Writers } from './writers.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly writesPerSecond: number;
  /** Called with a line for each thing that happens. */
  readonly say: (line: string) => void;
}

const READ_INTERVAL_MS = 250;
const START_MS = 5000;
const SAMPLE_INTERVAL_MS = 10_000;
/** A delay of hooks that no fault excuses. */
const CATCH_UP_MS = 20_000;
const FAULTS_AN_AUDIT = 4;
/** In the second half of a soak the operator is left running, so that growth would show. */
const RESTARTS_SHARE = 0.5;

/** Writes, injects faults and audits until the time is over or `signal` aborts. */
export async function soak(stage: Stage, options: SoakOptions, signal: AbortSignal): Promise<SoakReport> {
  return new Soak(stage, options).run(signal);
}

class Soak {
  readonly #stage: Stage;
  readonly #options: SoakOptions;
  readonly #random: Random;
  readonly #ledger = new Ledger();
  readonly #reader: SightingReader;
  readonly #writers: Writers;
  readonly #faults: FaultWindow[] = [];
  readonly #missed = new Set<string>();
  #audits = 0;

  constructor(stage: Stage, options: SoakOptions) {
    this.#stage = stage;
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#reader = new SightingReader(
      stage.out,
      KINDS.map(({ hook }) => hook),
    );
    // A generator of its own, so that the faults do not depend on how fast the writers are.
    const random = seededRandom(options.seed + 1);
    this.#writers = new Writers({ api: stage.api, random, perSecond: options.writesPerSecond });
  }

  async run(signal: AbortSignal): Promise<SoakReport> {
    const ended = new AbortController();
    const stop = AbortSignal.any([signal, ended.signal]);
    this.#stage.operator.start();
    // Writes during the first start would count as slow.
    await sleep(START_MS, signal);
    const background = [this.#writers.run(stop), this.#read(stop), this.#sample(stop)];
    try {
      await this.#breakAndAudit(signal);
    } finally {
      ended.abort();
      await Promise.all(background);
    }
    return this.#report();
  }

  async #breakAndAudit(signal: AbortSignal): Promise<void> {
    const { minutes } = this.#options;
    const startedAtMs = Date.now();
    const lengthMs = minutes * 60_000;
    const series = new FaultSeries(this.#random);
    while (!signal.aborted && Date.now() - startedAtMs < lengthMs) {
      for (let count = 0; count < FAULTS_AN_AUDIT && !signal.aborted; count++) {
        const elapsedMs = Date.now() - startedAtMs;
        if (elapsedMs >= lengthMs) break;
        await this.#breakOnce(series.next(elapsedMs < lengthMs * RESTARTS_SHARE), signal);
      }
      if (!signal.aborted) await this.#audit(signal);
    }
  }

  async #breakOnce(name: FaultWindow['name'], signal: AbortSignal): Promise<void> {
    const window = await strike(name, this.#stage, { random: this.#random, signal });
    this.#faults.push(window);
    const detail = window.detail === '' ? '' : ` (${window.detail})`;
    this.#options.say(`${name}${detail} for ${window.endMs - window.startMs} ms`);
    await sleep(SILENCE_LIMIT_MS + this.#random.between(2000, 9000), signal);
  }

  /** Pauses the writers; after a while every hook must have seen the current state. */
  async #audit(signal: AbortSignal): Promise<void> {
    await this.#writers.pause();
    const startedAtMs = Date.now();
    let differences = await this.#compare();
    while (differences.length > 0 && Date.now() - startedAtMs < CATCH_UP_MS && !signal.aborted) {
      await sleep(READ_INTERVAL_MS, signal);
      differences = await this.#compare();
    }
    this.#audits++;
    for (const difference of differences) this.#missed.add(difference);
    const { writes } = this.#writers;
    this.#options.say(
      `audit ${this.#audits}: ${writes.length} written, ${this.#ledger.events} seen, ${this.#missed.size} missed, ` +
        `${this.#ledger.outOfOrder} out of order, quiet after ${Date.now() - startedAtMs} ms`,
    );
    this.#writers.resume();
  }

  async #compare(): Promise<readonly string[]> {
    this.#takeRecords();
    return findDifferences(this.#stage.api, this.#ledger);
  }

  #takeRecords(): void {
    for (const sighting of this.#reader.take()) this.#ledger.record(sighting);
  }

  async #read(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#takeRecords();
      await sleep(READ_INTERVAL_MS, signal);
    }
  }

  async #sample(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(SAMPLE_INTERVAL_MS, signal);
      this.#stage.operator.sample();
    }
  }

  #report(): SoakReport {
    const { seed, minutes } = this.#options;
    const { writes, unanswered } = this.#writers;
    const { operator } = this.#stage;
    return summarize({
      seed,
      minutes,
      audits: this.#audits,
      missed: this.#missed.size,
      problems: [...this.#missed],
      writes,
      unanswered,
      ledger: this.#ledger,
      faults: this.#faults,
      operator,
    });
  }
}
