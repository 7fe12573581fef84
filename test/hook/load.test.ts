import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { HookFile } from '../../src/hook/discover.ts';
import { loadHooks, type ConfigRun } from '../../src/hook/load.ts';
import { runConfig } from '../support/config-runner.ts';

function fixture(name: string): HookFile {
  const path = fileURLToPath(new URL(`../fixtures/hooks/config-${name}.sh`, import.meta.url));
  return { name, path, type: 'process' };
}

const checkFilter = (): undefined => undefined;
const printed = (stdout: string): ConfigRun => ({ exitCode: 0, stdout, stderr: '' });

describe('loadHooks', () => {
  it('asks a hook for its bindings', async () => {
    const { hooks, broken } = await loadHooks([fixture('valid')], { readConfig: runConfig, checkFilter });

    expect(broken).toEqual([]);
    expect(hooks).toMatchObject([
      {
        ...fixture('valid'),
        settings: {},
        bindings: [
          { type: 'onStartup', order: 5 },
          { type: 'schedule', name: 'nightly', queue: 'slow' },
          { type: 'kubernetes', name: 'pods', filter: { expression: '.metadata.labels' } },
        ],
      },
    ]);
  });

  it('says of a module that throws that it cannot be loaded, and with what', async () => {
    const file = { name: 'hook.ts', path: '/hooks/hook.ts', type: 'warm' } as const;
    const readConfig = async (): Promise<ConfigRun> => ({ exitCode: 1, stdout: '', stderr: 'Error: no database' });

    const { broken } = await loadHooks([file], { readConfig, checkFilter });

    expect(broken).toMatchObject([
      { issues: [{ message: 'its module cannot be loaded' }], output: { stderr: 'Error: no database' } },
    ]);
    expect(broken[0]?.summary).toContain('its module cannot be loaded');
  });

  it('reports every broken hook and still yields the others, in order', async () => {
    const names = ['exit-3', 'valid', 'invalid', 'garbage', 'killed'];

    const { hooks, broken } = await loadHooks(names.map(fixture), { readConfig: runConfig, checkFilter });

    expect(hooks.map(({ name }) => name)).toEqual(['valid']);
    expect(
      broken.map(({ hook, issues }) => [hook, ...issues.map(({ path, message }) => `${path}: ${message}`)]),
    ).toEqual([
      ['exit-3', ': --config exited with code 3, expected exit code 0'],
      [
        'invalid',
        'onStartup: got "soon", expected a whole number (onStartup must be of type integer: "string")',
        'kubernetes[0].kindd: unknown field, did you mean kind? (kubernetes.kindd is a forbidden property)',
        'kubernetes[0].kind: missing, expected a kind such as Pod (kubernetes.kind is required)',
      ],
      ['garbage', ': got "Hello, world!", expected a mapping with configVersion: v1 and bindings (config unmarshal)'],
      ['killed', ': --config was ended by SIGKILL, expected exit code 0'],
    ]);
  });

  it.each([
    ['no-shebang', 'the file has no shebang'],
    ['crlf', 'ends with a carriage return'],
    ['crlf-env', 'ends with a carriage return'],
    ['no-interpreter', 'the interpreter /usr/local/no/such/interpreter does not exist'],
    ['not-executable', 'permission denied; the file or what it links to needs chmod +x'],
    ['absent', 'the file cannot be opened'],
  ])('says why the hook %s cannot be started', async (name, message) => {
    const { broken } = await loadHooks([fixture(name)], { readConfig: runConfig, checkFilter });

    expect(broken[0]?.message).toContain(message);
  });

  it('does not ask a warm hook for a shebang', async () => {
    const file = { ...fixture('no-shebang'), type: 'warm' } as const;

    const { hooks } = await loadHooks([file], {
      readConfig: async () => printed('{"configVersion":"v1","onStartup":1}'),
      checkFilter,
    });

    expect(hooks).toMatchObject([{ type: 'warm' }]);
  });

  it('keeps both streams in the error, cut to a readable length', async () => {
    const run: ConfigRun = { exitCode: 1, stdout: 'partial', stderr: 'x'.repeat(100_000) };

    const { broken } = await loadHooks([fixture('valid')], { readConfig: async () => run, checkFilter });

    expect(broken[0]?.output?.stdout).toBe('partial');
    expect(broken[0]?.output?.stderr.length).toBeLessThan(3000);
    expect(broken[0]?.message).toContain('stdout: partial');
    expect(broken[0]?.message).toContain('stderr: xxx');
  });

  it.each<[string, ConfigRun, string]>([
    [
      'a time limit',
      { timedOut: true, signal: 'SIGTERM', stdout: '', stderr: '' },
      'took longer than 10 s and was ended',
    ],
    [
      'a time limit although it exited 0',
      { timedOut: true, exitCode: 0, stdout: '', stderr: '' },
      'took longer than 10 s and was ended',
    ],
    [
      'too much output',
      { startError: { code: '', message: 'printed more than 5 bytes' }, stdout: '', stderr: '' },
      'printed more than 5 bytes',
    ],
    ['nothing known', { stdout: '', stderr: '' }, 'exited with code unknown'],
  ])('tells %s', async (_law, run, message) => {
    const { broken } = await loadHooks([fixture('valid')], { readConfig: async () => run, checkFilter });

    expect(broken[0]?.message).toContain(message);
  });

  it.each<[string, boolean, Partial<ConfigRun>]>([
    ['that ran out of time', true, { timedOut: true, signal: 'SIGTERM' }],
    ['that the kernel killed', true, { signal: 'SIGKILL' }],
    ['for which there was no memory', true, { startError: { code: 'ENOMEM', message: 'spawn ENOMEM' } }],
    ['that the machine ended', true, { startError: { code: '', message: 'it stood still', isShortage: true } }],
    ['that printed too much', false, { startError: { code: '', message: 'printed more than 5 bytes' } }],
    ['that hooklet could not read', false, { startError: { message: 'it sent an invalid report' } }],
    ['that failed', false, { exitCode: 1 }],
  ])('takes a hook %s for one that may load later: %s', async (_, isRetryable, run) => {
    const readConfig = async (): Promise<ConfigRun> => ({ stdout: '', stderr: '', ...run });

    const { broken } = await loadHooks([fixture('valid')], { readConfig, checkFilter });

    expect(broken).toMatchObject([{ isRetryable }]);
  });

  it('names the library in bash to a hook that looks for it in the root folder, where there is none', async () => {
    const stderr = 'hook.sh: line 3: /shell_lib.sh: No such file or directory';
    const readConfig = async (): Promise<ConfigRun> => ({ exitCode: 127, stdout: '', stderr });
    const { broken } = await loadHooks([{ name: 'a.js', path: '/a.js', type: 'warm' }], { readConfig, checkFilter });

    expect(broken[0]?.issues[0]?.message).toContain('source "${HOOKLET_SHELL_LIB:-/shell_lib.sh}"');
  });

  it('takes whatever a config does to its parser for a problem of that hook alone', async () => {
    const readConfig = async ({ name }: { readonly name: string }): Promise<ConfigRun> =>
      printed(
        name === 'valid'
          ? '{"configVersion":"v1","onStartup":1}'
          : '{"configVersion":"v1","kubernetes":[{"kind":"Pod","jqFilter":"."}]}',
      );
    const checkThatFails = (): string => {
      throw new RangeError('Maximum call stack size exceeded');
    };

    const loaded = await loadHooks([fixture('valid'), fixture('garbage')], { readConfig, checkFilter: checkThatFails });

    expect(loaded.hooks).toHaveLength(1);
    expect(loaded.broken[0]?.issues).toEqual([
      { path: '', message: 'cannot be read: Maximum call stack size exceeded' },
    ]);
  });

  it('takes a rejection as a failure to start', async () => {
    const readConfig = async (): Promise<never> => {
      throw Object.assign(new Error('spawn failed'), { code: 'EAGAIN' });
    };

    const { broken } = await loadHooks([fixture('valid')], { readConfig, checkFilter });

    expect(broken[0]?.issues).toEqual([{ path: '', message: '--config failed: spawn failed' }]);
  });

  it('compiles filters with what it is given', async () => {
    const { broken } = await loadHooks([fixture('valid')], {
      readConfig: runConfig,
      checkFilter: ({ expression }) => `no ${expression}`,
    });

    expect(broken[0]?.issues).toEqual([
      { path: 'kubernetes[0].jqFilter', message: 'got ".metadata.labels": compile jqFilter: no .metadata.labels' },
    ]);
  });

  it('asks several hooks at once, but no more than it may', async () => {
    let running = 0;
    let most = 0;
    const readConfig = async (): Promise<ConfigRun> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return printed('{"configVersion":"v1","onStartup":1}');
    };
    const files = Array.from({ length: 20 }, (_, index): HookFile => ({
      name: `hook-${index}`,
      path: '/absent',
      type: 'warm',
    }));

    const { hooks } = await loadHooks(files, { readConfig, checkFilter, concurrency: 3 });

    expect(most).toBe(3);
    expect(hooks.map(({ name }) => name)).toEqual(files.map(({ name }) => name));
  });
});
