import { expect, it } from 'vitest';
import { HookFailedError } from '../../src/errors.ts';
import { combineTasks } from '../../src/hook/combine.ts';
import { newTask, type Task } from '../../src/hook/task.ts';
import { createHookEvents } from '../../src/operator/hook-events.ts';
import type { RecordedEvent } from '../../src/kube/coordination/event-recorder.ts';
import { endedWhole } from '../../src/run/journal.ts';
import { afterRun, retried, type Next } from '../../src/run/policy.ts';
import { newRun, type RunOutcome } from '../../src/run/run.ts';
import { hookWith, scheduleBinding, tickOf } from '../support/bindings.ts';

const NIGHTLY = scheduleBinding('nightly', { retry: { max: 3, onExhausted: 'dead' } });
const HOOK = hookWith('dump.sh', [NIGHTLY]);
const FAILED: RunOutcome = {
  type: 'failed',
  by: 'hook',
  error: new HookFailedError('hook dump.sh failed', { ending: { exitCode: 1, timedOut: false } }),
};

function tick(attemptsBefore: number, scheduledAtMs = 0): Task {
  return newTask(HOOK, tickOf(NIGHTLY, { attemptsBefore, scheduledAtMs, runId: `run-${scheduledAtMs}` }), 0);
}

function after(task: Task): Next {
  return afterRun(newRun(task, 'main'), FAILED, { nowMs: 0, random: () => 0 });
}

/** How many attempts the operator makes at a task whose runs all fail. */
function attemptsAt(task: Task): number {
  let made = 1;
  for (let one = task; after(one).type === 'retry'; one = retried(one, FAILED, 0)) made += 1;
  return made;
}

it('a tick has 3 attempts with max 3, of which those of an earlier process count', () => {
  expect([0, 1, 2].map((before) => attemptsAt(tick(before)))).toEqual([3, 2, 1]);
  expect(newRun(tick(2), 'main').attempt).toBe(3);
});

it('the next tick begins anew, also where it is run with one that failed', () => {
  const [merged] = combineTasks([retried(retried(tick(0), FAILED, 0), FAILED, 0), tick(0, 60_000)]);

  expect(merged).toMatchObject({ failures: 0, ownFailures: 0 });
  expect(attemptsAt(tick(0, 60_000))).toBe(3);
});

it('a tick that is given up is told by an Event, each of 2 within 10 minutes', () => {
  const told: RecordedEvent[] = [];
  const events = createHookEvents({ record: (event) => void told.push(event) }, () => 0);

  for (const scheduledAtMs of [0, 60_000]) {
    const task = tick(2, scheduledAtMs);
    events.record(endedWhole(newRun(task, 'main'), FAILED, after(task)));
  }

  expect(told.filter(({ reason }) => reason === 'GaveUp').map(({ message }) => message)).toEqual([
    'hook dump.sh, binding nightly, gave up the tick 1970-01-01T00:00:00Z after 3 attempt(s): exit code 1; ERR_HOOK_FAILED, see the log',
    'hook dump.sh, binding nightly, gave up the tick 1970-01-01T00:01:00Z after 3 attempt(s): exit code 1; ERR_HOOK_FAILED, see the log',
  ]);
});
