import { describe, expect, it } from 'vitest';
import { describeFailure, failureMessage } from '../../src/runner/failure.ts';
import type { Exit } from '../../src/runner/spawner-protocol.ts';

const exit = (ending: Partial<Exit>): Exit => ({ timedOut: false, stdout: '', stderr: '', usage: {}, ...ending });

const rows: readonly [ending: Partial<Exit>, reason: string | undefined][] = [
  [{ exitCode: 0 }, undefined],
  [{ exitCode: 3 }, 'exit code 3'],
  [{ exitCode: 137 }, 'exit code 137 (a command was killed by SIGKILL)'],
  [{ exitCode: 255 }, 'exit code 255'],
  [{ signal: 'SIGSEGV' }, 'it was killed by SIGSEGV'],
  [{ signal: 'SIGKILL' }, 'it was killed by SIGKILL, which the kernel sends when memory runs out'],
  [
    { signal: 'SIGTERM', timedOut: true },
    'it ran longer than its time limit of 500ms (settings.timeout) and was ended',
  ],
  [{ exitCode: 0, timedOut: true }, 'it ran longer than its time limit of 500ms (settings.timeout) and was ended'],
  [
    { exitCode: 0, heldBy: 'process 7 (sleep)' },
    'process 7 (sleep) still held its output 10m after its exit (--background-limit) and was ended; start what is not part of the run with > /dev/null 2>&1',
  ],
  [{ startError: { code: '', message: 'the spawner process ended' } }, 'the spawner process ended'],
];

describe('describeFailure', () => {
  it.each(rows)('%j: %s', (ending, expected) => {
    const reason = describeFailure(exit(ending), {
      path: '/hook',
      timeoutMs: 500,
      backgroundLimitMs: 600_000,
      isStopped: false,
    });

    expect(reason).toBe(expected);
  });

  it('knows a run that was ended because the operator is stopping', () => {
    const context = { path: '/hook', timeoutMs: undefined, backgroundLimitMs: 0, isStopped: true };

    expect(describeFailure(exit({ signal: 'SIGTERM' }), context)).toBe('it was ended because the operator is stopping');
  });

  it('counts a run that succeeded while the operator stopped as a success', () => {
    const context = { path: '/hook', timeoutMs: undefined, backgroundLimitMs: 0, isStopped: true };
    const held = exit({ exitCode: 0, heldBy: 'process 7 (sleep)' });

    expect(describeFailure(exit({ exitCode: 0 }), context)).toBeUndefined();
    expect(describeFailure(held, context)).toBe('it was ended because the operator is stopping');
  });
});

describe('failureMessage', () => {
  it('names the hook, the reason, and the end of stderr', () => {
    expect(failureMessage('001/x.sh', 'exit code 1', 'one\ntwo\n')).toBe('hook 001/x.sh failed: exit code 1\none\ntwo');
  });

  it('is one line when the hook printed nothing', () => {
    expect(failureMessage('001/x.sh', 'exit code 1', '')).toBe('hook 001/x.sh failed: exit code 1');
  });
});
