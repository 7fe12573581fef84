/*
 * A world at work, in a process whose clock it drives. `world-process.ts` opens one at a time and hands it the actions.
 *
 * The cluster lives as long as the world; the operator has a life after the other (`operator-life.ts`), with hooks that
 * are real processes. All that happens goes through one recorder. After each action the world comes to rest (`rest.ts`).
 */

import type { ObservedWrite, Tapped, TappedEvent, TappedRequest } from '@hooklet/sandbox';
import { ScenarioError } from '../../errors.ts';
import { Bell } from '../../lib/bell.ts';
import { outerNow } from '../../lib/outer-time.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { OperatorOptions } from '../../operator/run-operator.ts';
import type { Cluster } from '../../kube/credentials/cluster.ts';
import type { Logger } from '../../log.ts';
import type { SpawnerChild } from '../../runner/spawner-child.ts';
import type { Moment } from '../timeline.ts';
import type { Given } from '../world.ts';
import { objectText } from './action-text.ts';
import { Disturber } from './disturber.ts';
import type { EndedCall } from './stand-ins.ts';
import { Surroundings } from './surroundings.ts';
import { fillCluster } from './fill-cluster.ts';
import { drivenCluster } from './driven-cluster.ts';
import { excessText } from './limits.ts';
import { currentRun, OperatorLife } from './operator-life.ts';
import { Recorder } from './recorder.ts';
import { recordLog } from './record-log.ts';
import { passUntil, rest, type Activity } from './rest.ts';
import { activityOf } from './activity.ts';
import { seededRandom } from './seeded-random.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { openCluster, writeMoment, type Caller, type ClusterListener, type WorldCluster } from './world-cluster.ts';

/** The options of the operator for those of a world, by their long names; throws a `ScenarioError`. */
export type OptionsOf = (
  given: Pick<Given, 'hooksDir' | 'options'>,
  parts: { readonly connect: () => Promise<Cluster>; readonly log: Logger },
) => OperatorOptions;

export interface LiveWorldParts {
  readonly clock: VirtualClock;
  readonly optionsOf: OptionsOf;
  /** Takes the spawner process for the next life. */
  readonly takeSpawner: () => SpawnerChild;
  readonly tell: (moment: Moment) => void;
  /** For the files of worlds. */
  readonly folder: string;
  /** Called with a world before anything happens in it. */
  readonly onMade: (world: LiveWorld) => void;
}

const DEFAULT_LIMIT_MS = 30_000;
const DEFAULT_SEED = '1';
/** How long the operator of a world that is closed may take to end. */
const END_LIMIT_MS = 20_000;
/** From SIGTERM to SIGKILL for a hook that is ended. */
const KILL_AFTER_MS = 100;
/** The longest time for which a watch may be quiet: as long as a timer may be. */
const MAX_SECONDS = 2_000_000;

/** A world; what it does is in `act.ts`. */
export class LiveWorld implements ClusterListener {
  readonly given: Given;
  readonly clock: VirtualClock;
  readonly recorder: Recorder;
  readonly #parts: LiveWorldParts;
  readonly #surroundings: Surroundings;
  readonly #disturber: Disturber;
  readonly #doomed = new Map<string, number>();
  readonly #bell = new Bell();
  #cluster: WorldCluster | undefined;
  #writes = 0;
  #lives = 0;
  #life: OperatorLife | undefined;
  /** What is done besides the work of the operator: it must end before the world is at rest. */
  #doing = 0;
  #limitAtMs = 0;

  private constructor(given: Given, parts: LiveWorldParts) {
    this.given = given;
    this.clock = parts.clock;
    this.#parts = parts;
    const before = (): void => this.#takeCalls();
    this.recorder = new Recorder({ now: () => parts.clock.nowMs, tell: parts.tell, before });
    const { disturbance } = given;
    const crash = (what: string): void => this.during(this.#crash(what));
    this.#disturber = new Disturber({ disturbance, recorder: this.recorder, crash });
    this.#surroundings = new Surroundings(given, {
      folder: parts.folder,
      kubeconfigOf: (caller) => this.cluster.kubeconfigOf(caller),
    });
    // Each run reads the time when it begins; it moves during one only while an answer is delayed.
    this.clock.onMove = (nowMs) => {
      if ((this.#life?.executing.length ?? 0) > 0) this.#surroundings.time.set(nowMs);
    };
    this.#surroundings.standIns.hold(this.#disturber.mayStrikeCalls);
  }

  /** Opens a world, and waits until it is at rest. */
  static async open(given: Given, parts: LiveWorldParts): Promise<LiveWorld> {
    parts.clock.restart(given.startMs);
    const world = new LiveWorld(given, parts);
    parts.onMade(world);
    try {
      world.begin();
      const { seed = DEFAULT_SEED, variant } = given;
      Math.random = seededRandom(variant === undefined ? seed : `${seed} ${variant.name}`);
      world.#cluster = await openCluster(world, { seed, ...(variant && { variant }) });
      await fillCluster(world.cluster, given.objects);
      world.start();
      await world.rest();
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
    return world;
  }

  get cluster(): WorldCluster {
    if (this.#cluster === undefined) throw new ScenarioError('the world is not open');
    return this.#cluster;
  }

  get life(): OperatorLife {
    if (this.#life === undefined) throw new ScenarioError('no operator runs');
    return this.#life;
  }

  /** Begins an action, or a part of one with runs, of which there may be so many: from now on its time counts. */
  begin(): void {
    this.#limitAtMs = outerNow() + (this.given.limitMs ?? DEFAULT_LIMIT_MS);
  }

  /** The world is not at rest before this has ended; its failure is that of `rest`. */
  during(work: Promise<unknown>): void {
    this.#doing += 1;
    const end = (): void => {
      this.#doing -= 1;
      this.#bell.ring();
    };
    work.then(end, (error: unknown) => {
      this.#failure ??= error;
      end();
    });
  }

  /** Starts a life of the operator. */
  start(): void {
    this.#lives += 1;
    const life = this.#lives;
    const { cluster } = this;
    const callerNow = (): Caller => ({ by: 'hooklet', life, run: currentRun.getStore() });
    const driven = drivenCluster(cluster.sandbox, () => cluster.tokenOf(callerNow()));
    const log = recordLog(this.recorder, () => this.#lives === life && this.#life?.isLiving(undefined) !== false);
    const base = this.#parts.optionsOf(this.given, { connect: async () => driven.cluster, log });
    const { hooks } = this.given;
    const operator: OperatorOptions = {
      ...base,
      hooksDir: this.given.hooksDir,
      tmpDir: this.#surroundings.tmpDir,
      hookEnv: this.#surroundings.envOfLife(life),
      killAfterMs: KILL_AFTER_MS,
      ...(hooks !== undefined && { isWanted: (name: string) => hooks.includes(name) }),
      cluster: { ...base.cluster, watchIdleTimeoutMs: MAX_SECONDS * 1000, watchSeconds: MAX_SECONDS },
      log,
    };
    this.#life = new OperatorLife({
      operator,
      driven,
      recorder: this.recorder,
      spawner: this.#parts.takeSpawner(),
      doomed: this.#doomed,
      isSparing: this.given.isSparing === true,
      envOf: (run) => this.#surroundings.envOfRun(life, run, this.clock.nowMs),
      onSign: this.#bell.ring,
    });
  }

  /** Waits until the world is at rest. */
  async rest(): Promise<void> {
    do {
      await rest({
        clock: this.clock,
        look: () => this.#look(),
        bell: this.#bell,
        limitAtMs: this.#limitAtMs,
        check: () => this.#check(),
      });
    } while (this.#disturber.atRest());
    this.#checkHooks();
  }

  /** Lets virtual time pass; at each instant at which something is due, the world comes to rest. */
  async passTo(timeMs: number): Promise<void> {
    for (;;) {
      const { nextDueMs } = this.clock;
      if (nextDueMs === undefined || nextDueMs > timeMs) break;
      const { runs } = this.recorder;
      this.clock.moveTo(nextDueMs);
      await this.rest();
      if (this.recorder.runs > runs) this.begin();
    }
    this.clock.moveTo(timeMs);
    await this.rest();
  }

  /** Lets virtual time pass while no operator runs. */
  passDown(ms: number): void {
    this.clock.moveTo(this.clock.nowMs + ms);
  }

  /** Ends the operator in order; `start` starts another one. */
  async end(): Promise<void> {
    const { life } = this;
    await life.end();
    this.#life = undefined;
    this.#failure ??= life.failure;
  }

  /** Ends the operator and its hooks at this instant; `start` starts another one. */
  async kill(what: string): Promise<void> {
    const { life } = this;
    const dead = life.kill();
    this.recorder.add({ type: 'disturbed', text: `killed: ${what}` });
    await dead;
    this.#life = undefined;
  }

  /** The next run of a hook is killed after this many effects, in this life of the operator or another. */
  doom(hook: string, afterEffects: number): void {
    this.#surroundings.standIns.hold(true);
    this.#doomed.set(hook, afterEffects);
  }

  wrote(write: ObservedWrite, caller: Caller | undefined): void {
    this.#writes += 1;
    const moment = writeMoment(write, caller);
    const { object, verb, run } = moment;
    if (isEffect(moment)) {
      const effect = this.#disturber.effect();
      this.recorder.add({ ...moment, effect });
      if (run !== undefined && moment.by === 'hook') this.#life?.effectOf(run);
      this.#disturber.afterEffect(effect, `effect ${effect} (${verb} ${objectText(object)})`);
    } else this.recorder.add(moment);
    this.#bell.ring();
  }

  request(request: TappedRequest, caller: Caller | undefined): Tapped | undefined {
    this.#writes += 1;
    return this.#disturber.request(request, caller);
  }

  event(event: TappedEvent): void {
    this.#writes += 1;
    this.#disturber.event(event);
  }

  isLiving(life: number, run: string | undefined): boolean {
    return life === this.#lives && this.#life?.isLiving(run) === true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.#life?.kill();
    // What it still waits for comes at once.
    if (ended !== undefined)
      await passUntil(ended, { clock: this.clock, bell: this.#bell, limitAtMs: outerNow() + END_LIMIT_MS });
    await this.#cluster?.[Symbol.asyncDispose]();
    this.clock.onMove = () => {};
    this.#surroundings[Symbol.dispose]();
  }

  #failure: unknown;

  async #crash(what: string): Promise<void> {
    await this.kill(what);
    this.start();
  }

  /** The calls of stand-ins since the last time; those of dead hooks do not count. A warm hook has no run in its environment. */
  #takeCalls(): void {
    for (const { run: named, ...call } of this.#surroundings.standIns.take()) {
      const run = named === '' ? this.#life?.onlyRun : named;
      const hook = this.#life?.hookOf(run ?? '');
      if (run !== undefined && hook !== undefined) this.#called({ ...call, run }, hook);
      else if (run === undefined) call.release();
    }
  }

  #called({ release, ...ended }: EndedCall, hook: string): void {
    const { program, args, run } = ended;
    this.recorder.calls += 1;
    const effect = this.#disturber.effect();
    const call = this.recorder.calls;
    this.recorder.add({ type: 'call', ...ended, hook, call, effect });
    const isLast = this.#life?.effectOf(run) === true;
    this.#disturber.afterEffect(effect, `effect ${effect} (${program} ${args.join(' ').slice(0, 100)})`);
    if (!isLast && this.#life?.isLiving(run) === true) release();
  }

  #look(): Activity {
    this.#takeCalls();
    const life = this.#life;
    const { cluster } = this;
    const { unanswered } = cluster.sandbox;
    const count = this.#writes + (life?.signs ?? 0);
    return { ...activityOf({ unanswered, delayed: cluster.delayed(), doing: this.#doing, life }), count };
  }

  #check(): void {
    const failure = this.#failure ?? this.#life?.failure;
    if (failure instanceof ScenarioError) throw failure;
    if (failure !== undefined) throw new ScenarioError(`the operator ended: ${messageOf(failure)}`, { cause: failure });
    const excess = excessText(this.recorder, this.given.limits);
    if (excess !== undefined) throw new ScenarioError(excess);
    if (!this.recorder.isFull) return;
    throw new ScenarioError(`the world does not come to rest: more than ${this.recorder.length} moments`);
  }

  #checkHooks(): void {
    if (this.#life === undefined) return;
    const { hooks } = this.life.inside.operator.view.status();
    if (hooks.broken.length > 0) throw new ScenarioError(hooks.broken.map(({ message }) => message).join('\n'));
    if (hooks.loaded === 0) throw new ScenarioError(`no hooks in ${this.given.hooksDir}`);
  }
}

/** Whether a write counts as an effect: it changed something, by a hook or by hooklet, and is neither Lease nor Event. */
function isEffect({ by, isChange, object }: ReturnType<typeof writeMoment>): boolean {
  return isChange && (by === 'hook' || by === 'hooklet') && object.kind !== 'Lease' && object.kind !== 'Event';
}
