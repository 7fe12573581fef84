/*
 * Runs one story in a world of its own: what is given, then step by step what happens, and after each step what is
 * expected. A story ends at its first step that fails, because what follows has no meaning then; `isWhole` goes on, for
 * those who want all differences.
 */

import { ScenarioError } from '../../errors.ts';
import { type Difference, pathText } from '../expect/difference.ts';
import { checkExpectation } from '../expect/check-expectation.ts';
import type { Evidence } from '../expect/evidence.ts';
import type { Expectation } from '../expectation.ts';
import type { Scenario, Step } from '../scenario.ts';
import type { Moment } from '../timeline.ts';
import type { Acted, World, Worlds } from '../world.ts';
import { lostRuns } from './lost-runs.ts';
import { missedKills } from './missed-kills.ts';
import { refusedWrite } from './refused-write.ts';
import { openInvariants, type Invariants } from './invariants.ts';

/** What became of a story; without failures it has passed. */
export interface StoryResult {
  readonly scenario: Scenario;
  readonly failures: readonly StoryFailure[];
  readonly timeline: readonly Moment[];
  /** Real time. */
  readonly tookMs: number;
}

/** Something that does not hold, and where. */
export interface StoryFailure {
  readonly line: number;
  /** `start`, `step 2`, `step 2 "the label goes"` or `end`. */
  readonly where: string;
  /** Such as `expect.objects[0].data.a`; empty for what is no expectation. */
  readonly path: string;
  readonly message: string;
  /** Where the moments of the step begin in the timeline. */
  readonly from: number;
  /** For an expectation: the step, absent for the start, and what differs. */
  readonly step?: number;
  readonly difference?: Difference;
}

export interface StoryOptions {
  readonly worlds: Worlds;
  readonly signal: AbortSignal;
  /** Whether the story goes on after a step that failed. */
  readonly isWhole?: boolean;
  /** Real time, in milliseconds. */
  readonly nowMs: () => number;
}

/** Runs the story. Rejects when `signal` aborts, and for a bug of hooklet. */
export async function runStory(scenario: Scenario, options: StoryOptions): Promise<StoryResult> {
  const startMs = options.nowMs();
  const telling = new Telling(scenario, options);
  await telling.tell();
  const { failures, timeline } = telling;
  return { scenario, failures, timeline, tookMs: options.nowMs() - startMs };
}

/** A step as it is checked: its place, and where its moments begin. */
interface Checked {
  readonly line: number;
  readonly where: string;
  readonly from: number;
  readonly step?: number;
}

class Telling {
  readonly failures: StoryFailure[] = [];
  timeline: readonly Moment[] = [];
  readonly #scenario: Scenario;
  readonly #options: StoryOptions;
  readonly #invariants: Invariants;
  #at: Checked;

  constructor(scenario: Scenario, options: StoryOptions) {
    this.#scenario = scenario;
    this.#options = options;
    this.#invariants = openInvariants(scenario.never);
    this.#at = { line: scenario.line, where: 'start', from: 0 };
  }

  async tell(): Promise<void> {
    const { worlds, signal } = this.#options;
    try {
      await using world = await worlds.open(this.#scenario.given, signal);
      try {
        await this.#tellIn(world);
      } finally {
        this.timeline = [...world.timeline];
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ScenarioError)) throw error;
      this.#fail({ path: '', message: error.message });
    }
  }

  async #tellIn(world: World): Promise<void> {
    const { expect, steps, line } = this.#scenario;
    await this.#check(world, expect, undefined);
    for (const [index, step] of steps.entries()) {
      if (this.#isOver) return;
      this.#options.signal.throwIfAborted();
      this.#at = { line: step.line, where: nameOf(step, index), from: world.timeline.length, step: index };
      await this.#check(world, step.expect, await this.#act(world, step));
    }
    this.#at = { line, where: 'end', from: 0 };
    for (const message of lostRuns(this.#scenario, world.timeline)) this.#fail({ path: '', message });
    for (const { line: at, message } of missedKills(steps, world.timeline)) {
      this.#at = { line: at, where: 'end', from: 0 };
      this.#fail({ path: '', message });
    }
  }

  get #isOver(): boolean {
    return this.failures.length > 0 && this.#options.isWhole !== true;
  }

  async #act(world: World, { actions, expect }: Step): Promise<Acted['answer']> {
    let last: Acted['answer'];
    const refused: string[] = [];
    for (const action of actions) {
      const { answer } = await world.act(action);
      if (answer === undefined) continue;
      last = answer;
      const problem = refusedWrite(action, answer);
      if (problem !== undefined) refused.push(problem);
    }
    // What is expected of the answer is compared with the last one.
    if (expect?.answer === undefined) for (const message of refused) this.#fail({ path: '', message });
    return last;
  }

  async #check(world: World, expected: Expectation | undefined, answer: Acted['answer']): Promise<void> {
    const { from } = this.#at;
    const timeline = [...world.timeline];
    const moments = timeline.slice(from);
    for (const message of this.#invariants.broken(moments)) this.#fail({ path: 'never', message });
    if (expected === undefined) return;
    const evidence: Evidence = {
      moments,
      timeline,
      objects: expected.objects === undefined && expected.status === undefined ? [] : await world.objects(),
      metrics: expected.metrics === undefined ? '' : await world.metrics(),
      ...(answer && { answer }),
    };
    for (const difference of checkExpectation(expected, evidence)) {
      const { at, message } = difference;
      this.#fail({ path: pathText(['expect', ...at]), message, difference });
    }
  }

  #fail(failure: Pick<StoryFailure, 'path' | 'message' | 'difference'>): void {
    this.failures.push({ ...this.#at, ...failure });
  }
}

function nameOf({ name }: Step, index: number): string {
  return name === undefined ? `step ${index + 1}` : `step ${index + 1} ${JSON.stringify(name)}`;
}
