import type { WorldLimits } from '../world.ts';
import type { Recorder } from './recorder.ts';

/** The defaults, and the most that a story may set. */
export const WORLD_LIMITS = { runs: { default: 2000, max: 10_000 }, writes: { default: 10_000, max: 50_000 } } as const;

const MAX_HOOKS = 3;

/** What of a world is more than it may be, with where and what to do; undefined while it is within its limits. */
export function excessText({ runs, runsOf, writes, now }: Recorder, limits: WorldLimits = {}): string | undefined {
  const maxRuns = limits.runs ?? WORLD_LIMITS.runs.default;
  const maxWrites = limits.writes ?? WORLD_LIMITS.writes.default;
  if (runs <= maxRuns && writes <= maxWrites) return undefined;
  const what = runs > maxRuns ? 'runs' : 'writes';
  const max = runs > maxRuns ? maxRuns : maxWrites;
  const often = [...runsOf].toSorted(([, a], [, b]) => b - a).slice(0, MAX_HOOKS);
  const hooks = often.map(([hook, times]) => `${hook} ran ${times} times`).join(', ');
  return `more than ${max} ${what} in the story, by ${new Date(now).toISOString()} of its clock (${hooks}): let less time pass or the hooks run less often, or set given.limits.${what}, at most ${WORLD_LIMITS[what].max}`;
}
