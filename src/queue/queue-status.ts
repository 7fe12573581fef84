import { goDuration } from '../lib/duration.ts';
import { unreachable } from '../lib/unreachable.ts';

/** What the worker of a queue in order does. */
export type QueueState =
  | { readonly type: 'new' }
  | { readonly type: 'idle'; readonly sinceMs: number }
  | { readonly type: 'admitting'; readonly sinceMs: number }
  | { readonly type: 'running'; readonly sinceMs: number }
  | { readonly type: 'delayed'; readonly delayMs: number; readonly untilMs: number }
  | { readonly type: 'stopped' };

/** The state as text in the words of shell-operator, such as `waiting for task 3s`. */
export function queueStatus(state: QueueState, nowMs: number): string {
  switch (state.type) {
    case 'new':
      return '';
    case 'idle':
      return `waiting for task ${span(wholeSeconds(nowMs - state.sinceMs))}`;
    case 'admitting':
      return `waiting until it may run ${span(wholeSeconds(nowMs - state.sinceMs))}`;
    case 'running':
      return 'run first task';
    case 'delayed': {
      const delayMs = wholeSeconds(state.delayMs);
      const waitedMs = wholeSeconds(state.delayMs - Math.max(0, state.untilMs - nowMs));
      const left = `${span(Math.max(0, delayMs - waitedMs))} left of ${span(delayMs)} delay`;
      return `sleep after fail for ${span(Math.round(state.delayMs / 100) * 100)} (${left})`;
    }
    case 'stopped':
      return 'stop';
    default:
      return unreachable(state);
  }
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** As shell-operator writes it; a wait that has just begun is 0s. */
function span(ms: number): string {
  return ms <= 0 ? '0s' : goDuration(ms);
}
