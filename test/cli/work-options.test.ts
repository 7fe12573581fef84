import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { resolveWorkOptions } from '../../src/cli/options/work-options.ts';
import { runProgram } from '../support/program.ts';

describe('the options of hooklet work', () => {
  it('have the documented defaults', () => {
    expect(resolveWorkOptions({ operator: 'https://a:1' }, {})).toEqual({
      operator: [new URL('https://a:1')],
      pool: 'default',
      capacity: Math.min(256, Math.max(2, 2 * availableParallelism())),
      tokenFile: '/var/run/secrets/hooklet.dev/token',
      caFile: '/var/run/secrets/hooklet.dev/ca.crt',
      drainLimitMs: 600_000,
      hooksDir: 'hooks',
      tmpDir: '/tmp/hooklet',
      listenAddress: '0.0.0.0',
      listenPort: 9115,
      logLevel: 'info',
      logFormat: 'auto',
      logProxyHookJson: false,
      logCompat: false,
    });
  });

  it('take several operators, with commas in the variable too', () => {
    const urls = [new URL('https://a:1'), new URL('https://b')];
    expect(resolveWorkOptions({}, { HOOKLET_OPERATOR: 'https://a:1, https://b' }).operator).toEqual(urls);
    expect(resolveWorkOptions({ operator: 'https://a:1,https://b' }, {}).operator).toEqual(urls);
  });

  it.each([
    ['operator', 'http://a'],
    ['operator', 'https://a/path'],
    ['operator', 'https://user@a'],
    ['operator', 'https://a,b'],
    ['pool', 'Heavy'],
    ['capacity', '0'],
    ['capacity', '257'],
    ['capacity', '1.5'],
    ['drainLimit', 'long'],
  ])('refuse for %s the value %s', (name, value) => {
    expect(() => resolveWorkOptions({ operator: 'https://a', [name]: value }, {})).toThrow(UsageError);
  });

  it('say everything that is wrong, also that no operator is given, with exit code 2', async () => {
    const { exitCode, stderr } = await runProgram(['work', '--capacity', '1000'], {
      env: { HOOKLET_POOL: 'No Pool', HOOKLET_OPERATOR: undefined },
    });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('--operator: got "", expected URLs such as https://host:9682');
    expect(stderr).toContain('--capacity: got "1000", expected a whole number from 1 to 256');
    expect(stderr).toContain('HOOKLET_POOL: got "No Pool", expected the name of a pool');
  });

  it('say that its hooks are not there, with exit code 2', async () => {
    const { exitCode, stderr } = await runProgram(['work', '--operator', 'https://a', '--hooks-dir', '/nonexistent']);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('/nonexistent');
  });

  it('take the flag of operators several times', async () => {
    const { exitCode, stderr } = await runProgram(['work', '--operator', 'https://a', '--operator', 'http://b']);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('--operator: got "https://a,http://b"');
  });
});
