import { runsOf, runValue } from '../scenario/expect/expected-runs.ts';
import { callValue, isCounted, writeValue } from '../scenario/expect/expected-writes.ts';
import type { Expectation } from '../scenario/expectation.ts';
import type { Evidence } from '../scenario/expect/evidence.ts';
import { timelineLines } from '../scenario/story/timeline-text.ts';
import type { Moment } from '../scenario/timeline.ts';
import { shown } from '../lib/shown.ts';
import type { Done, Happened, SeenCall, SeenRun, SeenWrite } from './public.ts';

/** What is compared: what happened, and what is there now. */
export interface Scene {
  readonly moments: readonly Moment[];
  /** All moments of the world. */
  readonly timeline: readonly Moment[];
  readonly answer?: Evidence['answer'];
  objects(): Promise<Evidence['objects']>;
  metrics(): Promise<string>;
  /** Reads what is expected; throws what is wrong with it. */
  expectation(value: object): Promise<Expectation>;
}

const scenes = new WeakMap<object, () => Scene>();

/** The scene of a world, or of what one of its actions returned; throws for anything else. */
export function sceneOf(value: unknown): Scene {
  const scene = typeof value === 'object' && value !== null ? scenes.get(value)?.() : undefined;
  if (scene !== undefined) return scene;
  const isPromise = value instanceof Promise;
  const hint = isPromise ? '; await it first' : '';
  throw new TypeError(
    `got ${isPromise ? 'a promise' : shown(value)}, expected a world of openWorld or what an action of it resolved to${hint}`,
  );
}

/** Matchers find what is compared of `owner` here. */
export function setScene(owner: object, scene: () => Scene): void {
  scenes.set(owner, scene);
}

/** What happened in a part of the timeline. */
export function happened(scene: () => Pick<Scene, 'moments' | 'timeline'>): Omit<Happened, 'timeline'> {
  return {
    runs: () => runsOf(scene()).map((run) => runValue(run) as unknown as SeenRun),
    writes: () => {
      const { moments, timeline } = scene();
      return moments.filter(isCounted).map((write) => writeValue(write, timeline) as unknown as SeenWrite);
    },
    calls: () => scene().moments.flatMap((moment) => (moment.type === 'call' ? [callOf(moment)] : [])),
    text: () => timelineLines(scene().moments).join('\n'),
  };
}

/** The moments as those who test have them. */
export function momentsOf(moments: readonly Moment[]): Happened['timeline'] {
  return moments.map((moment) => ({ ...moment }));
}

function callOf(call: Moment & { readonly type: 'call' }): SeenCall {
  return callValue(call) as unknown as SeenCall;
}

/** What an action resolves to. */
export function doneOf(scene: Scene): Done {
  const done: Done = {
    timeline: momentsOf(scene.moments),
    ...happened(() => scene),
    ...(scene.answer && { answer: scene.answer }),
  };
  setScene(done, () => scene);
  return done;
}
