import { sleep } from '../../../src/lib/sleep.ts';
import { decoded, encoded, type EtcdApi } from './etcd-api.ts';
import { eventually } from './eventually.ts';

const PAUSE_MS = 50;
const WATCH_MS = 400;

/** What was observed in a cluster during a test. */
export interface OracleReport {
  readonly acknowledged: number;
  readonly refused: number;
  /** The violations that were found; must be empty. */
  readonly violations: readonly string[];
}

/**
 * Writes to an etcd cluster all the time, one linearizable write after the other, and observes its members: no
 * acknowledged write may be lost, the revision must never go back, and at most one voter may be missing.
 */
export class EtcdOracle {
  readonly #etcd: EtcdApi;
  /** Each oracle has its own keys, as a write that an earlier one gave up may still be applied. */
  readonly #prefix = `oracle/${crypto.randomUUID()}`;
  readonly #acknowledged = new Map<string, string>();
  readonly #violations = new Set<string>();
  readonly #end = new AbortController();
  #refused = 0;
  #revision = 0;
  #leastVoters: number;
  #running: Promise<unknown> = Promise.resolve();

  constructor(etcd: EtcdApi) {
    this.#etcd = etcd;
    this.#leastVoters = etcd.pods.length - 1;
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  start(): void {
    this.#running = Promise.all([this.#write(this.#end.signal), this.#watch(this.#end.signal)]);
  }

  /**
   * Allows fewer voters, where a person removes some, or where several are lost and etcd adds none before all are
   * removed.
   */
  allowVoters(least: number): void {
    this.#leastVoters = least;
  }

  /** Stops writing, checks that everything is there, and returns the observations. */
  async stop(): Promise<OracleReport> {
    this.#end.abort();
    await this.#running;
    const { kvs = [], header } = await eventually(async () => this.#kept());
    const kept = new Map(kvs.map(({ key, value = '' }) => [decoded(key), decoded(value)]));
    const lost = [...this.#acknowledged].filter(([key, value]) => kept.get(key) !== value);
    for (const [key] of lost) this.#violations.add(`the acknowledged write ${key} is lost`);
    this.#see(Number(header.revision));
    return { acknowledged: this.acknowledged, refused: this.#refused, violations: [...this.#violations] };
  }

  async #kept() {
    return this.#etcd.anybody<{
      readonly kvs?: readonly { readonly key: string; readonly value?: string }[];
      readonly header: { readonly revision: string };
    }>('kv/range', { key: encoded(`${this.#prefix}/`), range_end: encoded(`${this.#prefix}0`) });
  }

  async #write(signal: AbortSignal): Promise<void> {
    for (let count = 0; !signal.aborted; count++) {
      const pod = this.#etcd.pods[count % this.#etcd.pods.length] ?? '';
      const [key, value] = [`${this.#prefix}/${String(count).padStart(7, '0')}`, crypto.randomUUID()];
      try {
        const { header } = await this.#etcd.ask<{ readonly header: { readonly revision: string } }>(pod, 'kv/put', {
          key: encoded(key),
          value: encoded(value),
        });
        this.#acknowledged.set(key, value);
        this.#see(Number(header.revision));
      } catch {
        this.#refused++;
      }
      await sleep(PAUSE_MS, signal);
    }
  }

  #see(revision: number): void {
    if (revision < this.#revision) this.#violations.add(`the revision went from ${this.#revision} back to ${revision}`);
    this.#revision = Math.max(revision, this.#revision);
  }

  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const members = await this.#etcd.members().catch(() => undefined);
      const voters = members?.filter(({ isLearner }) => !isLearner).length ?? this.#leastVoters;
      if (voters < this.#leastVoters) this.#violations.add(`only ${voters} voters, of ${this.#etcd.pods.length}`);
      const learners = members?.filter(({ isLearner }) => isLearner).length ?? 0;
      if (learners > 1) this.#violations.add(`${learners} learners at once`);
      await sleep(WATCH_MS, signal);
    }
  }
}
