/*
 * A run whose Job this operator has made or taken over, from before its creation until its outcome was recorded. The desk
 * grants it and brings its lines and its result, `JobNamespace` what is seen of its Job and Pod, and `supervise` waits
 * here for what changes. It is open (unclaimed), claimed, has a result, has ended (nothing more is taken), and is
 * concluded in the end; or it is left to the next leader. What must hold: it is granted to one Pod for good, and only
 * the last epoch counts.
 */

import { Bell } from '../../lib/bell.ts';
import { sleep } from '../../lib/sleep.ts';
import type { RemoteLine, RemoteResult } from '../../hook/remote-run.ts';
import type { HookOutput } from '../executor.ts';
import { RemoteOutput } from '../remote-output.ts';
import type { JobFacts } from './job-facts.ts';
import type { JobGrant, JobState } from './job-state.ts';
import type { RunView } from './next-step.ts';
import type { SeenPod } from './pod-state.ts';
import { NOTHING_SEEN, withJob, withPod, type Sight } from './sight.ts';

/** To which Pod a run was granted. */
export interface Claim {
  readonly podUid: string;
  readonly epoch: number;
  /** As `elapsed` has it. */
  readonly atMs: number;
}

/** How far a run has come. */
export type RunPhase =
  | { readonly type: 'open' }
  | { readonly type: 'claimed'; readonly claim: Claim }
  | { readonly type: 'resulted'; readonly claim: Claim; readonly result: RemoteResult; readonly atMs: number }
  | { readonly type: 'ended' | 'concluded'; readonly claim: Claim | undefined }
  | { readonly type: 'left' };

export interface LiveRunOptions {
  readonly facts: JobFacts;
  readonly namespace: string;
  /** The name of the Job. */
  readonly job: string;
  /** As JSON, in chunks; undefined for a run that was taken over. */
  readonly contexts: readonly Uint8Array[] | undefined;
  readonly onOutput: (output: HookOutput) => void;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
}

/** One run; see above. */
export class LiveRun {
  readonly facts: JobFacts;
  readonly namespace: string;
  readonly job: string;
  readonly #elapsed: () => number;
  readonly #bell = new Bell();
  readonly #concluded = new AbortController();
  readonly #output: RemoteOutput;
  readonly #pods = new Map<string, SeenPod>();
  #contexts: readonly Uint8Array[] | undefined;
  #uid: string | undefined;
  #phase: RunPhase = { type: 'open' };
  #sight: Sight = NOTHING_SEEN;
  #isHeard = false;
  #isGranted = false;

  constructor({ facts, namespace, job, contexts, onOutput, elapsed }: LiveRunOptions) {
    this.facts = facts;
    this.namespace = namespace;
    this.job = job;
    this.#contexts = contexts;
    this.#output = new RemoteOutput(onOutput);
    this.#elapsed = elapsed;
  }

  /** The uid of the Job; undefined until it is known to be there. */
  get uid(): string | undefined {
    return this.#uid;
  }

  get phase(): RunPhase {
    return this.#phase;
  }

  get claim(): Claim | undefined {
    return this.#phase.type === 'open' || this.#phase.type === 'left' ? undefined : this.#phase.claim;
  }

  get sight(): Sight {
    return this.#sight;
  }

  /** The Pod that counts: the one that has the run, else the newest. */
  get pod(): SeenPod | undefined {
    return this.#sight.pod.type === 'there' ? this.#sight.pod.pod : undefined;
  }

  get contexts(): readonly Uint8Array[] | undefined {
    return this.#contexts;
  }

  /** Whether its Pod has asked this operator. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** Whether this operator has granted it; one that was taken over is to be claimed anew. */
  get isGranted(): boolean {
    return this.#isGranted;
  }

  get view(): RunView {
    const phase = this.#phase;
    return {
      nowMs: this.#elapsed(),
      facts: this.facts,
      sight: this.#sight,
      claimedAtMs: this.claim?.atMs,
      isHeard: this.#isHeard,
      result: phase.type === 'resulted' ? { result: phase.result, atMs: phase.atMs } : undefined,
    };
  }

  /** The Job is there; of one that was taken over, `grant` is what its annotations say. */
  created(uid: string, grant?: JobGrant & { readonly podUid: string; readonly ageMs: number }): void {
    this.#uid = uid;
    if (grant !== undefined) {
      const claim = { podUid: grant.podUid, epoch: grant.epoch, atMs: this.#elapsed() - grant.ageMs };
      this.#phase = { type: 'claimed', claim };
    }
    this.#bell.ring();
  }

  sawJob(state: JobState | undefined): void {
    // Another Job of that name is none of this run.
    const own = state?.uid === this.#uid ? state : undefined;
    if (own === undefined && this.#sight.job.type === 'unseen') return;
    this.#sight = withJob(this.#sight, own, this.#elapsed());
    this.#bell.ring();
  }

  sawPod(pod: SeenPod): void {
    this.#pods.delete(pod.uid);
    this.#pods.set(pod.uid, pod);
    this.#sightPod(pod.uid);
  }

  podGone(uid: string): void {
    if (this.#pods.delete(uid)) this.#sightPod(uid);
  }

  /** The Job was accepted, and a Pod may be created unless it is suspended; the watch may come later. */
  startable(isSuspended: boolean): void {
    if (isSuspended || this.#sight.startableSinceMs !== undefined) return;
    this.#sight = { ...this.#sight, startableSinceMs: this.#elapsed() };
  }

  /** Grants the run to a Pod, or anew; the caller has checked that no other Pod has it. */
  granted(pod: SeenPod, epoch: number): void {
    const phase = this.#phase;
    const claim = { podUid: pod.uid, epoch, atMs: this.claim?.atMs ?? this.#elapsed() };
    this.#phase = phase.type === 'resulted' ? { ...phase, claim } : { type: 'claimed', claim };
    this.#isHeard = true;
    this.#isGranted = true;
    this.sawPod(pod);
  }

  /** Takes the result; a later one does not replace it. */
  resulted(result: RemoteResult): void {
    if (this.#phase.type !== 'claimed') return;
    this.#phase = { type: 'resulted', claim: this.#phase.claim, result, atMs: this.#elapsed() };
    this.#isHeard = true;
    this.#contexts = undefined;
    this.#bell.ring();
  }

  /** Nothing more is taken, but the same result again. */
  ended(isLeft: boolean): void {
    this.#contexts = undefined;
    if (isLeft) this.#phase = { type: 'left' };
    else if (this.#phase.type !== 'resulted' && this.#phase.type !== 'concluded')
      this.#phase = { type: 'ended', claim: this.claim };
  }

  /** No more lines are told; says how many were dropped. */
  endOutput(): void {
    this.#output.end();
  }

  /** The outcome was recorded: its Pod may end. */
  conclude(): void {
    this.#phase = { type: 'concluded', claim: this.claim };
    this.#concluded.abort();
  }

  /** Aborts when the outcome was recorded; who waits for it must not leave anything behind. */
  get concluded(): AbortSignal {
    return this.#concluded.signal;
  }

  print(lines: readonly RemoteLine[]): void {
    this.#isHeard = true;
    this.#output.print(lines);
  }

  /** From now on its lines go there. */
  tellTo(onOutput: (output: HookOutput) => void): void {
    this.#output.tellTo(onOutput);
  }

  /** Resolves after the next change, at a time as `elapsed` has it, or when `signal` aborts. */
  async changedOr(untilMs: number | undefined, signal: AbortSignal): Promise<void> {
    const rung = this.#bell.rung();
    const end = new AbortController();
    signal.addEventListener('abort', this.#bell.ring, { once: true });
    try {
      if (signal.aborted) return;
      await Promise.race([rung, ...(untilMs === undefined ? [] : [sleep(untilMs - this.#elapsed(), end.signal)])]);
    } finally {
      end.abort();
      signal.removeEventListener('abort', this.#bell.ring);
    }
  }

  #sightPod(uid: string): void {
    const counting = this.claim?.podUid ?? [...this.#pods.keys()].at(-1) ?? uid;
    // What happens to another Pod of the Job says nothing of this run.
    if (counting !== uid) return;
    this.#sight = withPod(this.#sight, this.#pods.get(counting), this.#elapsed());
    this.#bell.ring();
  }
}
