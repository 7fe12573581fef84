import { expect, it } from 'vitest';
import {
  CredentialsError,
  FilterError,
  HookConfigError,
  HookFailedError,
  HookOutputError,
  KubeError,
  PatchError,
} from '../../src/errors.ts';
import type { RecordedEvent } from '../../src/kube/coordination/event-recorder.ts';
import type { Trigger } from '../../src/hook/trigger.ts';
import { createHookEvents } from '../../src/operator/hook-events.ts';
import { endedWhole, type RunEvent } from '../../src/run/journal.ts';
import { newRun } from '../../src/run/run.ts';
import { hookWith, kubernetesBinding, onStartupBinding } from '../support/bindings.ts';
import { taskOf } from '../support/unit-rig.ts';

function recording() {
  const told: RecordedEvent[] = [];
  const clock = { nowMs: 0 };
  const events = createHookEvents({ record: (event) => void told.push(event) }, () => clock.nowMs);
  return { told, clock, events };
}

it.each([
  [
    'the number of its problems',
    new HookConfigError('a.sh', [
      { path: 'schedule[0].crontab', message: 'got "s3cret"' },
      { path: 's3cret', message: 'unknown' },
    ]),
    'hook a.sh: its config has 2 problem(s); ERR_HOOK_CONFIG, see the log',
  ],
  [
    'how its --config ended',
    new HookConfigError('a.sh', [{ path: '', message: 'x' }], {
      reason: '--config exited with code 3',
      output: { stdout: 's3cret', stderr: '+ token=s3cret' },
    }),
    'hook a.sh: --config exited with code 3; ERR_HOOK_CONFIG, see the log',
  ],
])('of a broken hook is told %s, and nothing it printed', (_, error, message) => {
  const { told, events } = recording();

  events.broken(error);

  expect(error.message).toMatch(/s3cret|code 3/);
  expect(told).toEqual([{ type: 'Warning', reason: 'HookBroken', message }]);
});

/** The event `ended` of a run that failed and is run again. */
function failed(binding: string, error: Error): RunEvent {
  const bound = kubernetesBinding(binding);
  const trigger: Trigger =
    binding === '' ? { type: 'onStartup', binding: onStartupBinding } : { type: 'synchronization', binding: bound };
  const run = newRun(taskOf(hookWith('a.sh'), trigger), 'main');
  return endedWhole(run, { type: 'failed', by: 'hook', error }, { type: 'retry', at: 'head', delayMs: 5000 });
}

const printed = 'hook a.sh failed\n+ curl -H "Authorization: s3cret"';
it.each([
  [new HookFailedError(printed, { ending: { timedOut: false, exitCode: 7 } }), 'exit code 7; ERR_HOOK_FAILED, '],
  [
    new HookFailedError(printed, { ending: { timedOut: false, signal: 'SIGKILL' } }),
    'was ended by SIGKILL; ERR_HOOK_FAILED, ',
  ],
  [new HookFailedError(printed, { ending: { timedOut: true } }), 'ran longer than its time limit; ERR_HOOK_FAILED, '],
  [new HookFailedError(printed, { ending: { timedOut: false } }), 'failed; ERR_HOOK_FAILED, '],
  [new HookFailedError(printed), 'could not be run; ERR_HOOK_FAILED, '],
  [new HookOutputError('patch: received "s3cret"'), 'ERR_HOOK_OUTPUT, '],
  [new PatchError('Invalid value: "s3cret"'), 'ERR_PATCH, '],
  [new FilterError('.data["s3cret"'), 'ERR_FILTER, '],
  [new CredentialsError('plugin printed s3cret'), 'ERR_CREDENTIALS, '],
])('of a failed run is told the end of it, and nothing it printed or wrote: %#', (error, said) => {
  const { told, events } = recording();

  events.record(failed('nightly', error));

  expect(told).toEqual([
    {
      type: 'Warning',
      reason: 'HookFailed',
      runId: expect.any(String),
      message: `hook a.sh, binding nightly: ${said}see the log`,
    },
  ]);
});

it('what the API server answered is told', () => {
  const { told, events } = recording();

  events.record(failed('', new KubeError('GET /api/v1/pods: 403 forbidden', { status: 403, reason: 'Forbidden' })));

  expect(told[0]?.message).toBe('hook a.sh: GET /api/v1/pods: 403 forbidden');
});

it('a failing binding is told at once, then rarely', () => {
  const { told, clock, events } = recording();

  for (let minute = 0; minute <= 60; minute += 1) {
    clock.nowMs = minute * 60_000;
    events.record(failed('nightly', new Error(`attempt ${minute}`)));
  }
  events.record(failed('', new Error('other')));

  expect(told.filter(({ message }) => message.startsWith('hook a.sh, binding nightly: '))).toHaveLength(7);
  expect(told[0]).toEqual({
    type: 'Warning',
    reason: 'HookFailed',
    runId: expect.any(String),
    message: 'hook a.sh, binding nightly: attempt 0',
  });
  expect(told.at(-1)?.message).toBe('hook a.sh: other');
});

it('what a binding allows, or what is not run again, is not told', () => {
  const { told, events } = recording();
  const event = failed('nightly', new Error('no'));
  if (event.type !== 'ended') throw new Error('no end');

  const { run, outcome, next } = event;
  events.record(endedWhole(run, outcome, { type: 'drop', why: 'allowed' }));
  events.record(endedWhole(run, { type: 'interrupted', by: 'shutdown', error: new Error('no') }, next));

  expect(told).toEqual([]);
});

it('a context that failed in a run that succeeded is told', () => {
  const { told, events } = recording();
  const event = failed('nightly', new Error('no'));
  if (event.type !== 'ended') throw new Error('no end');

  const succeeded = { type: 'succeeded', cost: { durationMs: 1, usage: {} }, applied: [] } as const;
  events.record({ ...event, outcome: succeeded, next: { type: 'done' } });

  expect(told).toHaveLength(1);
});
