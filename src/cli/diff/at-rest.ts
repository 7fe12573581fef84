import type { OperatorStatus, OperatorView } from '../../hook/operator-view.ts';
import { sleep } from '../../lib/sleep.ts';

/** How an operator came to rest. */
export type Rest =
  | { readonly type: 'done' }
  /** Why it is not done, in words. */
  | { readonly type: 'failed'; readonly problems: readonly string[] };

export interface RestOptions {
  readonly view: () => OperatorView | undefined;
  readonly isLoaded: () => boolean;
  readonly now: () => number;
  readonly limitMs: number;
}

const TICK_MS = 50;
/** So often in a row nothing must be under way, since what ends may begin something else. */
const QUIET_TICKS = 4;
/** A failed run may be repeated, and others wait behind it. */
const FAILED_TICKS = 20;

/** Waits until startup hooks and Synchronizations are done and nothing is queued, one of them failed, or the limit. */
export async function untilAtRest(options: RestOptions, signal: AbortSignal): Promise<Rest> {
  const untilMs = options.now() + options.limitMs;
  for (let quiet = 0; ;) {
    const status = options.isLoaded() ? options.view()?.status() : undefined;
    quiet = status !== undefined && isQuiet(status) ? quiet + 1 : 0;
    const rest = status && restOf(status, quiet);
    if (rest !== undefined) return rest;
    if (signal.aborted) return { type: 'failed', problems: ['it was ended before all was done'] };
    if (options.now() >= untilMs) return lateRest(status);
    await sleep(TICK_MS, signal);
  }
}

/** Undefined: it is not at rest. */
function restOf(status: OperatorStatus, quiet: number): Rest | undefined {
  const problems = problemsOf(status);
  if (problems.length > 0) return quiet >= FAILED_TICKS ? { type: 'failed', problems } : undefined;
  return quiet >= QUIET_TICKS && status.hooks.starting.length === 0 ? { type: 'done' } : undefined;
}

function lateRest(status: OperatorStatus | undefined): Rest {
  const problems = status === undefined ? [] : problemsOf(status);
  return { type: 'failed', problems: [...problems, lateText(status)] };
}

/** Nothing runs, and what waits waits for another attempt or for its rate limit. */
function isQuiet({ running, queues }: OperatorStatus): boolean {
  return running.length === 0 && queues.every((queue) => queue.running === 0 && queue.delayedUntil !== undefined);
}

function problemsOf({ hooks, failing }: OperatorStatus): readonly string[] {
  return [
    ...hooks.broken.map(({ hook, message }) => `hook ${hook} is broken: ${message}`),
    ...failing.map(
      ({ hook, binding, object, message = '' }) =>
        `hook ${hook} failed for ${[binding, object].filter(Boolean).join(', ')}${message === '' ? '' : `: ${message}`}`,
    ),
  ];
}

function lateText(status: OperatorStatus | undefined): string {
  if (status === undefined) return 'the hooks were not loaded in time; give it longer with --timeout';
  const { starting } = status.hooks;
  const waiting = starting.length === 0 ? 'hooks still run' : `these hooks are not started: ${starting.join(', ')}`;
  return `not all was done in time, ${waiting}; give it longer with --timeout`;
}
