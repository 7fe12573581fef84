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
import type { SpawnerChild } from '../../runner/spawner-child.ts';
import type { Moment } from '../timeline.ts';
import type { Given } from '../world.ts';
import { Disturber } from './disturber.ts';
import { Effects } from './effects.ts';
import { startLife, type OptionsOf } from './start-life.ts';
import { Surroundings } from './surroundings.ts';
import { fillCluster } from './fill-cluster.ts';
import { excessText } from './limits.ts';
import type { OperatorLife } from './operator-life.ts';
import { Recorder } from './recorder.ts';
import { passUntil, rest, type Activity } from './rest.ts';
import { activityOf } from './activity.ts';
import { seededRandom } from './seeded-random.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { openCluster, type Caller, type ClusterListener, type WorldCluster } from './world-cluster.ts';

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

/** A world; what it does is in `act.ts`. */
export class LiveWorld implements ClusterListener {
  readonly given: Given;
  readonly clock: VirtualClock;
  readonly recorder: Recorder;
  readonly #parts: LiveWorldParts;
  readonly #surroundings: Surroundings;
  readonly #disturber: Disturber;
  readonly #effects: Effects;
  readonly #doomed = new Map<string, number>();
  readonly #bell = new Bell();
  #cluster: WorldCluster | undefined;
  #writes = 0;
  #lives = 0;
  #life: OperatorLife | undefined;
  /** What is done besides the work of the operator: it must end before the world is at rest. */
  #doing = 0;
  #limitAtMs = 0;
  #failure: unknown;

  private constructor(given: Given, parts: LiveWorldParts) {
    this.given = given;
    this.clock = parts.clock;
    this.#parts = parts;
    const before = (): void => this.#effects.takeCalls();
    this.recorder = new Recorder({ now: () => parts.clock.nowMs, tell: parts.tell, before });
    const { disturbance } = given;
    const crash = (what: string): void => this.during(this.#crash(what));
    this.#disturber = new Disturber({ disturbance, recorder: this.recorder, crash });
    this.#surroundings = new Surroundings(given, {
      folder: parts.folder,
      kubeconfigOf: (caller) => this.cluster.kubeconfigOf(caller),
    });
    const { standIns } = this.#surroundings;
    this.#effects = new Effects({
      recorder: this.recorder,
      disturber: this.#disturber,
      standIns,
      life: () => this.#life,
    });
    // Each run reads the time when it begins; it moves during one only while an answer is delayed.
    this.clock.onMove = (nowMs) => {
      if ((this.#life?.executing.length ?? 0) > 0) this.#surroundings.time.set(nowMs);
    };
    standIns.hold(this.#disturber.mayStrikeCalls);
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
    this.#life = startLife({
      given: this.given,
      life,
      cluster: this.cluster,
      recorder: this.recorder,
      surroundings: this.#surroundings,
      spawner: this.#parts.takeSpawner(),
      optionsOf: this.#parts.optionsOf,
      doomed: this.#doomed,
      isCurrent: () => this.#lives === life && this.#life?.isLiving(undefined) !== false,
      nowMs: () => this.clock.nowMs,
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
    this.#effects.wrote(write, caller);
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

  async #crash(what: string): Promise<void> {
    await this.kill(what);
    this.start();
  }

  #look(): Activity {
    this.#effects.takeCalls();
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
