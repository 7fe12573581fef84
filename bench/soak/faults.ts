import { sleep } from '../../src/lib/sleep.ts';
import type { ControlPlane } from '../../test/cluster/control-plane.ts';
import type { StageProxy } from '../../test/support/stages/proxy.ts';
import { STAGES, type ConnectionFault } from '../../test/support/stages/stages.ts';
import { staysOpen, strike as strikeStage, type StageStrike } from '../../test/support/stages/strike.ts';
import type { Gateway } from './gateway.ts';
import type { OperatorProcess } from './operator-process.ts';
import type { Random } from './random.ts';
import type { Relay } from './relay.ts';

/** The parts in which faults are injected. */
export interface FaultTargets {
  readonly relay: Relay;
  readonly gateway: Gateway;
  readonly stages: StageProxy;
  readonly plane: ControlPlane;
  readonly operator: OperatorProcess;
}

/** All faults. */
export const FAULT_NAMES = [
  'cut',
  'halfOpen',
  'outage',
  'latency',
  'throttled',
  'serverError',
  'apiserverKilled',
  'compaction',
  'operatorKilled',
  'operatorRestarted',
  'spawnerKilled',
  'warmWorkerKilled',
  'stageReset',
  'stageFin',
  'stageSilence',
  'stageGarbage',
  'stageSlow',
] as const;

export type FaultName = (typeof FAULT_NAMES)[number];

/** A past fault, from its begin to its end. */
export interface FaultWindow {
  readonly name: FaultName;
  readonly startMs: number;
  readonly endMs: number;
  /** Which variant of the fault it was. */
  readonly detail: string;
  /** The promised limit for hooks after its end. */
  readonly limitMs: number;
}

interface Means {
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** The details of a fault; `undefined` when its name is sufficient. */
type Told = Pick<FaultWindow, 'detail' | 'limitMs'> | undefined;

/** The limit from the end of a fault until hooks have seen everything. */
const LIMIT_MS = 3000;
/** The limit for a connection that stays open and silent, which has to be detected first. */
export const SILENCE_LIMIT_MS = 5000;

/** The limits of faults that take longer than others. */
const LIMITS: Readonly<Partial<Record<FaultName, number>>> = {
  halfOpen: SILENCE_LIMIT_MS,
  // A starting server asks for 5 s with `Retry-After` while it does not serve custom kinds.
  apiserverKilled: 5000 + LIMIT_MS,
  // An interrupted run has failed, and is retried after 5 s.
  warmWorkerKilled: 5000 + LIMIT_MS,
};

/** The durations of a storm; 0: only one connection is affected. */
const STORMS_MS = [0, 0, 2000, 10_000] as const;
/** The limit for a connection to reach a stage. */
const STAGE_WAIT_MS = 30_000;

/** Each makes something break, and resolves when it is whole again; after a `halfOpen` it never is. */
const FAULTS: Readonly<Record<FaultName, (targets: FaultTargets, means: Means) => Promise<Told | void>>> = {
  cut: async ({ relay }) => relay.cut(),
  halfOpen: async ({ relay }) => relay.freeze(),
  outage: async ({ relay }, { random, signal }) => {
    relay.refuse(true);
    relay.cut();
    await sleep(random.between(1000, 6000), signal);
    relay.refuse(false);
  },
  latency: async ({ relay }, { random, signal }) => {
    relay.delay(random.between(100, 800));
    await sleep(random.between(3000, 8000), signal);
    relay.delay(0);
  },
  throttled: async ({ relay, gateway }, { random, signal }) => {
    gateway.refuse({ code: 429, retryAfterSeconds: 1 });
    relay.cut();
    await sleep(random.between(2000, 6000), signal);
    gateway.refuse(undefined);
  },
  serverError: async ({ relay, gateway }, { random, signal }) => {
    gateway.refuse({ code: random.pick([500, 502, 503]) });
    relay.cut();
    await sleep(random.between(2000, 12_000), signal);
    gateway.refuse(undefined);
  },
  apiserverKilled: async ({ plane }, { random, signal }) => {
    await plane.killApiserver();
    await sleep(random.between(0, 2000), signal);
    await plane.startApiserver();
  },
  compaction: async ({ plane, relay }, { random, signal }) => {
    // The watches are ended first, so that their resourceVersion has expired when they return.
    relay.refuse(true);
    relay.cut();
    await sleep(random.between(500, 2000), signal);
    await plane.compactEtcd();
    relay.refuse(false);
  },
  operatorKilled: async ({ operator }, { random, signal }) => {
    await operator.end('SIGKILL');
    await sleep(random.between(0, 2000), signal);
    operator.start();
  },
  operatorRestarted: async ({ operator }) => {
    const exitCode = await operator.end('SIGTERM');
    if (exitCode !== 0) throw new Error(`hooklet ended with exit code ${exitCode} after SIGTERM`);
    operator.start();
  },
  spawnerKilled: async ({ operator }) => {
    operator.killChild('spawner-process');
  },
  warmWorkerKilled: async ({ operator }) => {
    operator.killChild('warm-process');
  },
  stageReset: async (targets, means) => strikeAtStage('reset', targets, means),
  stageFin: async (targets, means) => strikeAtStage('fin', targets, means),
  stageSilence: async (targets, means) => strikeAtStage('silence', targets, means),
  stageGarbage: async (targets, means) => strikeAtStage('garbage', targets, means),
  stageSlow: async (targets, means) => strikeAtStage('slow', targets, means),
};

/** Injects a fault into one connection at a stage, or into all for a while. */
async function strikeAtStage(
  fault: ConnectionFault,
  { stages }: FaultTargets,
  { random, signal }: Means,
): Promise<Told> {
  const one: StageStrike = { stage: random.pick(STAGES), fault, stormMs: random.pick(STORMS_MS) };
  const wait = AbortSignal.timeout(STAGE_WAIT_MS);
  try {
    await strikeStage(stages, one, AbortSignal.any([signal, wait]));
  } catch (error) {
    if (!wait.aborted) throw error;
    stages.endStorm();
    return { detail: `${one.stage}, where no connection came by in ${STAGE_WAIT_MS / 1000} s`, limitMs: LIMIT_MS };
  }
  const length = one.stormMs === 0 ? 'one connection' : `${one.stormMs / 1000} s`;
  return { detail: `${one.stage}, ${length}`, limitMs: staysOpen(one) ? SILENCE_LIMIT_MS : LIMIT_MS };
}

/** The faults that restart the operator, which therefore loses its memory. */
const RESTARTS: ReadonlySet<string> = new Set<FaultName>(['operatorKilled', 'operatorRestarted']);

/** Every fault once in a random order, then all again; without those that restart the operator when asked so. */
export class FaultSeries {
  readonly #random: Random;
  #left: FaultName[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  next(withRestarts: boolean): FaultName {
    for (;;) {
      if (this.#left.length === 0) this.#left = this.#shuffled();
      const name = this.#left.pop();
      if (name !== undefined && (withRestarts || !RESTARTS.has(name))) return name;
    }
  }

  #shuffled(): FaultName[] {
    return FAULT_NAMES.map((name) => ({ name, at: this.#random.next() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ name }) => name);
  }
}

/** Injects a fault, and resolves when it is over. */
export async function strike(name: FaultName, targets: FaultTargets, means: Means): Promise<FaultWindow> {
  const startMs = Date.now();
  const told = (await FAULTS[name](targets, means)) ?? { detail: '', limitMs: LIMITS[name] ?? LIMIT_MS };
  return { name, startMs, endMs: Date.now(), ...told };
}
