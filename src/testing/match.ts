import type { JsonObject } from '@hooklet/sandbox';
import { checkExpectation } from '../scenario/expect/check-expectation.ts';
import { listed } from '../scenario/expect/counts.ts';
import { type Difference, pathText } from '../scenario/expect/difference.ts';
import { objectDifferences } from '../scenario/expect/expected-objects.ts';
import { oneRunDifferences, runsOf, runText } from '../scenario/expect/expected-runs.ts';
import { eventDifferences, metricDifferences } from '../scenario/expect/expected-signals.ts';
import { callText, callValue, isCounted, writeText, writeValue } from '../scenario/expect/expected-writes.ts';
import { isSubset } from '../scenario/expect/subset.ts';
import type { Expectation } from '../scenario/expectation.ts';
import { timelineLines } from '../scenario/story/timeline-text.ts';
import { shown } from '../lib/shown.ts';
import type { WorldMatchers } from './public.ts';
import { type Scene, sceneOf } from './scene.ts';

export type MatchName = keyof WorldMatchers;

/** Whether what was expected holds, and what is told of it where it should be otherwise. */
export interface Match {
  readonly isMet: boolean;
  readonly message: string;
}

interface Comparing {
  /** The expectation in the form of a scenario file. */
  readonly asked: (expected: object) => object;
  readonly compare: (scene: Scene, expectation: Expectation) => Promise<readonly Difference[]>;
}

const first = <T>(list: number | readonly T[] | undefined): readonly T[] => (typeof list === 'object' ? list : []);

const COMPARING: Readonly<Record<MatchName, Comparing>> = {
  toHaveObject: {
    asked: (expected) => ({ objects: [expected] }),
    compare: async (scene, { objects = [] }) => objectDifferences(objects, { objects: await scene.objects() }),
  },
  toHaveRun: { asked: (expected) => ({ runs: [expected] }), compare: async (scene, { runs }) => aRun(scene, runs) },
  toHaveWritten: {
    asked: (expected) => ({ writes: [expected] }),
    compare: async ({ moments, timeline }, { writes }) => {
      const seen = moments.filter(isCounted);
      const found = seen.map((write) => ({ value: writeValue(write, timeline), text: writeText(write) }));
      return first(writes).flatMap((one) => oneOf('write', { ...one }, found));
    },
  },
  toHaveCalled: {
    asked: (expected) => ({ calls: [expected] }),
    compare: async ({ moments }, { calls }) => {
      const seen = moments.filter((moment) => moment.type === 'call');
      const found = seen.map((call) => ({ value: callValue(call), text: callText(call) }));
      return first(calls).flatMap((one) => oneOf('call', { ...one }, found));
    },
  },
  toHaveEvent: {
    asked: (expected) => ({ events: [expected] }),
    compare: async (scene, { events = [] }) => eventDifferences(events, scene),
  },
  toHaveMetric: {
    asked: (expected) => ({ metrics: [expected] }),
    compare: async (scene, { metrics = [] }) => metricDifferences(metrics, { metrics: await scene.metrics() }),
  },
  toMeet: {
    asked: (expected) => expected,
    compare: async (scene, expectation) => {
      const { moments, timeline, answer } = scene;
      const [objects, metrics] = [await scene.objects(), await scene.metrics()];
      return checkExpectation(expectation, { moments, timeline, objects, metrics, ...(answer && { answer }) });
    },
  },
};

/** Compares; throws for what is no world, and for an expectation that is wrong. */
export async function match(name: MatchName, of: unknown, expected: object): Promise<Match> {
  const scene = sceneOf(of);
  const { asked, compare } = COMPARING[name];
  const found = await compare(scene, await scene.expectation(asked(expected)));
  if (found.length === 0)
    return { isMet: true, message: `${name}: expected nothing like ${shown(expected, 300)}, and it is there` };
  const lines = found.map(({ at, message }) => [pathText(at), message].filter((text) => text !== '').join(': '));
  const ends = timelineLines(scene.moments).slice(-LAST_LINES);
  return { isMet: false, message: `${name}: ${lines.join('\n')}\n\ntimeline:${listed(ends)}` };
}

const LAST_LINES = 20;

function aRun(scene: Scene, runs: Expectation['runs']): readonly Difference[] {
  const seen = runsOf(scene);
  return first(runs).flatMap((expected) => {
    const own = seen.filter(({ hook }) => hook === expected.hook);
    const compared = own.map((run) => oneRunDifferences(expected, run, []));
    if (compared.some((differences) => differences.length === 0)) return [];
    if (compared.length === 1) return compared.flat();
    const message = `expected a run like ${shown(expected, 300)}, found ${own.length} of this hook${listed(own.map(runText))}`;
    return [{ at: [], message }];
  });
}

interface Found {
  readonly value: JsonObject;
  readonly text: string;
}

function oneOf(what: string, expected: object, found: readonly Found[]): readonly Difference[] {
  if (found.some(({ value }) => isSubset(expected as JsonObject, value))) return [];
  const lines = found.map(({ text }) => text);
  return [
    { at: [], message: `expected a ${what} like ${shown(expected, 300)}, found ${lines.length}${listed(lines)}` },
  ];
}
