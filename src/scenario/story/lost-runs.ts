import { runsOf, runText, type SeenRun } from '../expect/expected-runs.ts';
import type { Expectation } from '../expectation.ts';
import type { Scenario } from '../scenario.ts';
import type { Moment } from '../timeline.ts';

/**
 * Failures of hooks with which a story ends: what was given up, and queues whose last run failed. They fail any story,
 * unless an expectation names a failure of that hook.
 */
export function lostRuns({ expect, steps }: Scenario, timeline: readonly Moment[]): readonly string[] {
  const named = new Set([expect, ...steps.map((step) => step.expect)].flatMap(failuresNamed));
  const runs = runsOf({ moments: timeline }).filter(({ hook }) => !named.has(hook));
  const last = new Map(runs.map((run) => [`${run.hook}\n${run.started.queue}`, run]));
  const dead = runs.filter(({ ended }) => ended?.outcome === 'failed' && ended.next === 'dead');
  const failing = [...last.values()].filter(({ ended }) => ended?.outcome === 'failed' && ended.next === 'retry');
  return [
    ...dead.map((run) => `a run was given up: ${withMessage(run)}`),
    ...failing.map((run) => `a hook still fails at the end: ${withMessage(run)}`),
  ];
}

function failuresNamed(expected: Expectation | undefined): readonly string[] {
  const runs = expected?.runs ?? [];
  if (typeof runs === 'number') return [];
  return runs
    .filter(({ outcome, exit = 0, message }) => outcome === 'failed' || exit !== 0 || message !== undefined)
    .map(({ hook }) => hook);
}

function withMessage(run: SeenRun): string {
  const message = run.ended?.message;
  return message === undefined ? runText(run) : `${runText(run)}\n  ${message}`;
}
