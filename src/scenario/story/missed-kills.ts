import type { Step } from '../scenario.ts';
import type { Moment } from '../timeline.ts';

/** A kill that a story asks for and that did not happen, with the line of its step. */
export interface MissedKill {
  readonly line: number;
  readonly message: string;
}

/** Runs that were to be killed and were not: a story that goes on after them shows nothing of a hook that is killed. */
export function missedKills(steps: readonly Step[], timeline: readonly Moment[]): readonly MissedKill[] {
  const killed = new Map<string, number>();
  for (const moment of timeline) {
    if (isKilled(moment)) killed.set(moment.hook, (killed.get(moment.hook) ?? 0) + 1);
  }
  return steps.flatMap(({ line, actions }) =>
    actions.flatMap((action): MissedKill[] => {
      if (action.type !== 'killHook') return [];
      const { hook, afterEffects } = action;
      const left = killed.get(hook) ?? 0;
      killed.set(hook, left - 1);
      return left > 0 ? [] : [{ line, message: `no run of ${hook} was killed: ${reason(afterEffects)}` }];
    }),
  );
}

function reason(afterEffects: number): string {
  if (afterEffects === 0) return 'none began after this step';
  return `none that began after this step wrote or called ${afterEffects} time(s) itself; what hooklet writes for it does not count`;
}

function isKilled(moment: Moment): moment is Extract<Moment, { type: 'run-ended' }> {
  return moment.type === 'run-ended' && moment.message?.includes('killed by SIGKILL') === true;
}
