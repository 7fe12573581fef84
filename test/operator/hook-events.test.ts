import { expect, it } from 'vitest';
import { HookConfigError } from '../../src/errors.ts';
import type { RecordedEvent } from '../../src/kube/event-recorder.ts';
import { createHookEvents } from '../../src/operator/hook-events.ts';

function recording() {
  const told: RecordedEvent[] = [];
  const clock = { nowMs: 0 };
  const events = createHookEvents({ record: (event) => void told.push(event) }, () => clock.nowMs);
  return { told, clock, events };
}

it('a broken hook is told with all its problems', () => {
  const { told, events } = recording();
  const issues = [
    { path: 'schedule[0].crontab', message: 'got "0 0 31 2 *": never comes' },
    { path: 'schedule[1].timeZone', message: 'got "Mars"' },
  ];

  events.broken(new HookConfigError('a.sh', issues));

  expect(told).toEqual([
    { type: 'Warning', reason: 'HookBroken', message: expect.stringMatching(/a\.sh[^]*0 0 31 2[^]*Mars/) },
  ]);
});

it('a failing binding is told at once, then rarely', () => {
  const { told, clock, events } = recording();

  for (let minute = 0; minute <= 60; minute += 1) {
    clock.nowMs = minute * 60_000;
    events.failed('a.sh', 'nightly', new Error(`hook a.sh failed, attempt ${minute}`));
  }
  events.failed('a.sh', '', new Error('hook a.sh: exit code 1'));

  expect(told.filter(({ message }) => message.startsWith('binding nightly: '))).toHaveLength(7);
  expect(told[0]).toEqual({
    type: 'Warning',
    reason: 'HookFailed',
    message: 'binding nightly: hook a.sh failed, attempt 0',
  });
  expect(told.at(-1)?.message).toBe('hook a.sh: exit code 1');
});
