import type { OwnSlice } from '../../hook/shard.ts';
import type { ElectionStatus, LeaderElectionTimes } from '../../kube/coordination/leader-election.ts';
import { LEADING_SLICE } from '../../kube/coordination/slices/assignment.ts';
import { Slices, type SlicesOptions } from '../../kube/coordination/slices/slices.ts';
import type { SlicesStatus } from '../../kube/coordination/slices/slices-status.ts';
import { latch } from '../../lib/latch.ts';
import type { Metrics } from '../../metrics.ts';
import type { OwnSlices } from '../../sources/kubernetes/own-slices.ts';
import type { Leadership } from '../operator-parts.ts';
import { MovesLog } from './moves-log.ts';
import { OwnedSlices, type SliceWork } from './owned-slices.ts';

/** How replicas divide objects among them. */
export interface ShardsSettings extends LeaderElectionTimes {
  /** What the Leases of the members and the ConfigMap are named after. */
  readonly leaseName: string;
  /** Time between two moves while all is well; default 10 s. */
  readonly moveEveryMs?: number;
  /** Whether API servers are asked for slices, where they can (KEP-5866). All replicas must say the same. */
  readonly isServerSide?: boolean | undefined;
}

export interface ShardsOptions extends Omit<SlicesOptions, 'handler'> {
  readonly metrics: Pick<Metrics, 'shardSlices' | 'shardMembers' | 'shardMoves' | 'beforeRead'>;
  readonly onLeading?: () => void;
  readonly onLost?: () => void;
}

/**
 * This replica as a member of those that divide objects. For all that is not divided it is what an election is: the
 * holder of slice 00 leads, and keeps that slice as long as it lives. Divided hooks work from `begun` on.
 */
export class Shards implements Leadership {
  readonly #options: ShardsOptions;
  readonly #owned: OwnedSlices;
  readonly #members: Slices;
  readonly #log: MovesLog;
  readonly #leading = latch();
  readonly #begun = latch();
  #work: SliceWork = { quiet: async () => {}, isQuiet: () => true };
  #hasBegun = false;

  constructor(options: ShardsOptions) {
    this.#options = options;
    const { metrics, hash, log } = options;
    this.#log = new MovesLog({ log, count: () => this.#owned.owned.length });
    this.#owned = new OwnedSlices({
      hash,
      quiet: async (slice, signal) => this.#work.quiet(slice, signal),
      isQuiet: (slice) => this.#work.isQuiet(slice),
      onTaken: (slice) => this.#taken(slice),
      onGiven: (slice) => this.#given(slice),
    });
    this.#members = new Slices({ ...options, handler: this.#owned });
    this.lost.addEventListener('abort', () => options.onLost?.(), { once: true });
    metrics.beforeRead.add(() => {
      metrics.shardSlices.of({}).value = this.#owned.owned.length;
      metrics.shardMembers.of({}).value = this.members.members.filter(({ state }) => state === 'alive').length;
    });
  }

  /** The slices that this replica works on. */
  get slices(): OwnSlices {
    return this.#owned;
  }

  /** Who the members are, and which has what. */
  get members(): SlicesStatus {
    return this.#members.status;
  }

  /** Resolves when this replica has its first slices. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get leading(): Promise<void> {
    return this.#leading.promise;
  }

  get lost(): AbortSignal {
    return this.#members.lost;
  }

  get status(): ElectionStatus {
    if (this.lost.aborted) return { type: 'lost' };
    if (this.#members.owned.has(LEADING_SLICE)) return { type: 'leading' };
    const { members, problem } = this.members;
    const leader = members.find(({ slices }) => slices.includes(LEADING_SLICE))?.identity ?? '';
    return { type: 'standing-by', leader, ...(problem !== undefined && { problem }) };
  }

  /** Slice 00 does not say how the work of its holder before ended. */
  get takenOver(): undefined {
    return undefined;
  }

  check(): void {
    this.#members.check();
  }

  /** Says what ends the runs of slices that are given; called once, before `run`. */
  endRunsWith(work: SliceWork): void {
    this.#work = work;
  }

  /** Takes and gives slices until `signal` aborts; all runs must have ended before. Rejects when the Lease is lost. */
  async run(signal: AbortSignal): Promise<void> {
    using _flushed = this.#log;
    await this.#members.run(signal);
  }

  #given({ index }: OwnSlice): void {
    this.#options.metrics.shardMoves.inc({ direction: 'given' });
    this.#log.given(index);
  }

  #taken({ index }: OwnSlice): void {
    this.#log.taken(index);
    this.#options.metrics.shardMoves.inc({ direction: 'taken' });
    this.#hasBegun = true;
    this.#begun.resolve();
    if (index !== LEADING_SLICE) return;
    this.#leading.resolve();
    this.#options.onLeading?.();
  }
}
