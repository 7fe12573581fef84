import { inside, type Place, report } from '../../hook/config-reader.ts';
import type { Action } from '../world.ts';
import type { Story } from './story.ts';

/** The virtual time of a story without a clock. */
export const DEFAULT_START_MS = Date.UTC(2026, 0, 1);

const MAX_STORY_MS = 10 * 366 * 86_400_000;

/** Reports each `until` that has passed when its step begins, and a story that would last more than ten years. */
export function checkTimes({ given = {}, steps = [] }: Story, place: Place): void {
  const startMs = given.clock ?? DEFAULT_START_MS;
  let nowMs = startMs;
  for (const { index, actions } of steps) {
    const at = inside(inside(place, 'steps'), index);
    for (const action of actions) {
      if (action.type === 'until' && action.timeMs <= nowMs) {
        const now = new Date(nowMs).toISOString();
        report(inside(at, 'until'), `got ${new Date(action.timeMs).toISOString()}, but it is ${now} or later by then`);
      }
      nowMs = later(nowMs, action);
      if (nowMs - startMs <= MAX_STORY_MS) continue;
      report(at, 'more than ten years of virtual time, expected less');
      return;
    }
  }
}

/** The earliest time at which the action can be over. */
function later(nowMs: number, action: Action): number {
  if (action.type === 'tick') return nowMs + action.ms;
  if (action.type === 'until') return Math.max(nowMs, action.timeMs);
  return action.type === 'restart' ? nowMs + (action.downMs ?? 0) : nowMs;
}
