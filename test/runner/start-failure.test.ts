import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainStartError } from '../../src/runner/start-failure.ts';
import { hooksDir } from '../support/hook-rig.ts';

const rows: readonly [fixture: string, code: string, explanation: RegExp][] = [
  ['run-deleted.sh', 'ENOENT', /run-deleted\.sh does not exist$/],
  ['run-not-executable.sh', 'EACCES', /run-not-executable\.sh is not executable, chmod \+x is required$/],
  ['run-no-shebang.sh', 'ENOEXEC', /shebang/],
  ['run-crlf.sh', 'ENOENT', /carriage return/],
  [
    'run-missing-interpreter.sh',
    'ENOENT',
    /interpreter in the first line of .*run-missing-interpreter\.sh does not exist/,
  ],
];

describe('explainStartError', () => {
  it.each(rows)('%s with %s', (fixture, code, expected) => {
    const explanation = explainStartError(join(hooksDir, fixture), { code, message: `spawn ${code}` });

    expect(explanation).toMatch(expected);
  });

  it('passes on what needs no explanation', () => {
    expect(explainStartError('/any', { code: '', message: 'the spawner process ended' })).toBe(
      'the spawner process ended',
    );
  });

  it('passes on what it does not know', () => {
    const path = join(hooksDir, 'run-echo.sh');

    expect(explainStartError(path, { code: 'EAGAIN', message: 'spawn EAGAIN' })).toBe('spawn EAGAIN');
  });
});
