import type { Sandbox } from '@hooklet/sandbox';
import { expect, vi } from 'vitest';
import type { KubeClient } from '../../src/kube/client.ts';
import { ALL_SLICES } from '../../src/kube/coordination/slices/assignment.ts';
import { Slices } from '../../src/kube/coordination/slices/slices.ts';
import type { SliceHash } from '../../src/lib/slice-hash.ts';
import { inProcessClient, type InProcessClient } from './in-process-client.ts';
import { recordingLogger, type LogLine } from './recording-logger.ts';

export const SECOND = 1000;
export const TIMES = { leaseDurationMs: 15 * SECOND, renewDeadlineMs: 10 * SECOND, retryPeriodMs: 2 * SECOND };
export const CONFIG_MAP = '/api/v1/namespaces/default/configmaps/hooklet-slices';
export const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

/** One member under a driven clock. */
export interface RigMember {
  readonly identity: string;
  readonly slices: Slices;
  readonly client: InProcessClient;
  readonly lines: readonly LogLine[];
  /** Whether its process is there. */
  readonly isThere: () => boolean;
  /** What it works on, or its hooks do while it stands still. */
  readonly worksOn: (slice: number) => boolean;
  readonly work: () => readonly number[];
  readonly error: () => unknown;
  /** Ends in good order. */
  readonly leave: () => void;
  readonly kill: () => void;
  /** Stands still, as after SIGSTOP, until it is woken. */
  readonly stop: () => void;
  readonly wake: () => void;
}

export interface RigOptions {
  readonly sandbox: Sandbox;
  readonly moveEveryMs?: number;
  readonly random?: () => number;
  /** How long it takes to give a slice; one that takes longer than 5 s waits for its signal. */
  readonly giveTakesMs?: () => number;
  /** Whether it never obeys that signal. */
  readonly isDeaf?: boolean;
  /** How long a request is on its way before it arrives, and its answer after that. */
  readonly delayMs?: () => number;
}

export interface SlicesRig {
  readonly members: readonly RigMember[];
  /** How often a slice was taken so far. */
  readonly takes: () => number;
  readonly join: (identity: string, hash?: SliceHash) => RigMember;
  readonly pass: (ms: number) => Promise<void>;
  /** Lets time pass until the condition holds; returns how long that took. */
  readonly passUntil: (check: () => boolean, limitMs?: number) => Promise<number>;
  /** The members that are there and have not ended. */
  readonly alive: () => readonly RigMember[];
  /** Whether each slice is worked on by one member that is alive. */
  readonly isAllHeld: () => boolean;
  /** How many slices each member that is alive works on, the fewest first. */
  readonly loads: () => readonly number[];
}

/** Members that share a sandbox; that two work on one slice fails the test at the moment when the second one takes it. */
export function slicesRig(options: RigOptions): SlicesRig {
  const members: RigMember[] = [];
  let takes = 0;
  const onTake = (slice: number, taker: string): void => {
    takes += 1;
    const others = members.filter(({ identity, worksOn }) => identity !== taker && worksOn(slice));
    if (others.length > 0) clashes.push(`${taker} and ${others[0]?.identity} work on slice ${slice}`);
  };
  const clashes: string[] = [];
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 50) {
      await vi.advanceTimersByTimeAsync(Math.min(50, ms - passed));
      expect(clashes).toEqual([]);
    }
  };
  const alive = (): readonly RigMember[] => members.filter(({ isThere }) => isThere());
  return {
    members,
    takes: () => takes,
    join: (identity, hash = 'mixed') => {
      const member = rigMember(identity, { ...options, hash }, (slice) => onTake(slice, identity));
      members.push(member);
      return member;
    },
    pass,
    passUntil: async (check, limitMs = 60 * SECOND) => {
      const from = performance.now();
      while (!check() && performance.now() - from < limitMs) await pass(50);
      expect(check()).toBe(true);
      return performance.now() - from;
    },
    alive,
    isAllHeld: () => ALL_SLICES.every((slice) => alive().filter(({ worksOn }) => worksOn(slice)).length === 1),
    loads: () =>
      alive()
        .map(({ work }) => work().length)
        .toSorted((a, b) => a - b),
  };
}

interface MemberOptions extends RigOptions {
  readonly hash: SliceHash;
}

function rigMember(identity: string, options: MemberOptions, onTake: (slice: number) => void): RigMember {
  const {
    sandbox,
    moveEveryMs = 10 * SECOND,
    random = () => 0.5,
    giveTakesMs = () => 100,
    isDeaf = false,
    delayMs,
    hash,
  } = options;
  const inner = inProcessClient(sandbox);
  const log = recordingLogger();
  const working = new Set<number>();
  const leaving = new AbortController();
  let life: 'running' | 'still' | 'killed' | 'ended' = 'running';
  let stoodAtMs = 0;
  let fencedAtMs = Infinity;
  let woken = Promise.withResolvers<void>();
  let error: unknown;
  const still = async (): Promise<void> => {
    while (life === 'still') await woken.promise;
    if (life === 'killed') await new Promise(() => {});
  };
  const client: Pick<KubeClient, 'request'> = {
    async request(request, signal) {
      await still();
      if (delayMs !== undefined) await pause(delayMs());
      const answer = inner.request(request, signal).then(
        (value) => ({ value }),
        (failure: unknown) => ({ failure }),
      );
      const answered = await answer;
      if (delayMs !== undefined) await pause(delayMs());
      await still();
      if ('failure' in answered) throw answered.failure;
      return answered.value;
    },
  };
  const isWorking = (): boolean => life !== 'killed' && performance.now() < fencedAtMs;
  const slices = new Slices({
    client,
    namespace: 'default',
    name: 'hooklet',
    identity,
    times: TIMES,
    hash,
    moveEveryMs,
    giveMs: 5 * SECOND,
    log,
    random,
    elapsed: () => (life === 'still' ? stoodAtMs : performance.now()),
    fence: (leftMs) => void (fencedAtMs = leftMs === undefined ? Infinity : performance.now() + leftMs),
    handler: {
      take(slice) {
        if (life === 'still' || life === 'killed') throw new Error(`${identity} takes a slice while it stands still`);
        onTake(slice);
        working.add(slice);
      },
      async give(slice, signal) {
        await pause(giveTakesMs(), isDeaf ? undefined : signal);
        await still();
        working.delete(slice);
      },
    },
  });
  slices.lost.addEventListener('abort', () => working.clear());
  void slices.run(leaving.signal).then(
    () => (life = 'ended'),
    (failure: unknown) => {
      error = failure;
      life = 'ended';
    },
  );
  return {
    identity,
    slices,
    client: inner,
    lines: log.lines,
    isThere: () => life === 'running' || life === 'still',
    worksOn: (slice) => isWorking() && working.has(slice),
    work: () => (isWorking() ? [...working] : []),
    error: () => error,
    leave: () => leaving.abort(),
    kill: () => {
      life = 'killed';
      working.clear();
    },
    stop: () => {
      if (life !== 'running') return;
      stoodAtMs = performance.now();
      life = 'still';
      woken = Promise.withResolvers<void>();
    },
    wake: () => {
      if (life === 'still') life = 'running';
      woken.resolve();
    },
  };
}

/** Waits; a wait of more than 5 s has no end but its signal. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal?.addEventListener('abort', () => resolve(), { once: true });
    if (signal?.aborted === true) resolve();
    else if (ms <= (signal === undefined ? 10 : 5) * SECOND) setTimeout(resolve, ms);
  });
}
