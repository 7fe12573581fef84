import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import packageJson from '../../package.json' with { type: 'json' };
import { main } from '../../src/cli/program/program.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { runInShell, runProgram } from '../support/program.ts';
import { kubeconfigFile } from '../support/kubeconfig-file.ts';

let folder: ReturnType<typeof temporaryFolder>;
let cwd: string;

beforeAll(() => {
  folder = temporaryFolder();
  cwd = folder.path;
  mkdirSync(join(cwd, 'hooks'));
});

afterAll(() => folder[Symbol.dispose]());

describe('hooklet', () => {
  it('says which version it is', async () => {
    const [command, option] = await Promise.all([runProgram(['version']), runProgram(['-V'])]);

    expect(command).toEqual({ exitCode: 0, stdout: `hooklet ${packageJson.version}\n`, stderr: '' });
    expect(option).toEqual({ exitCode: 0, stdout: `${packageJson.version}\n`, stderr: '' });
  });

  it('ends as others do when nobody reads what it prints', async () => {
    const { exitCode, stderr } = await runInShell('hooklet jq -n "range(100000)" | head -1; exit ${PIPESTATUS[0]}');

    expect([exitCode, stderr]).toEqual([141, '']);
  });

  it('says that it cannot write to a full disk, and exits as jq does', async () => {
    const { exitCode, stderr } = await runInShell('hooklet jq -n 1 > /dev/full');

    expect([exitCode, stderr]).toEqual([
      2,
      'hooklet: cannot write to standard output: ENOSPC: no space left on device, write\n',
    ]);
  });

  it('--help says what there is, with examples and exit codes', async () => {
    const { exitCode, stdout } = await runProgram(['--help']);

    expect(exitCode).toBe(0);
    for (const command of ['start', 'dev', 'check', 'run', 'schedule', 'filter', 'jq', 'version']) {
      expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    }
    expect(stdout).toMatch(/^Examples:$/m);
    expect(stdout).toMatch(/^Exit codes:$/m);
  });

  it.each([
    [['nonsense'], /unknown command 'nonsense'/],
    [['--nonsense'], /unknown option '--nonsense'/],
    [['start', '--nonsense'], /unknown option '--nonsense'/],
    [['check', 'a', 'b'], /a does not exist.*\n.*b does not exist/],
    [['check', '.', '-o', 'xml'], /--output: got "xml", expected one of text, json, github, junit/],
    [['version', 'a'], /too many arguments/],
    [['schedule', 'nonsense'], /unknown command 'nonsense'/],
    [['schedule', 'explain', '0 0 31 2 *'], /The day of month never comes/],
    [['run', 'a.sh'], /give it one of --context FILE and --event NAME/],
    [['run', 'a.sh', '--context', '-', '--event', 'Added'], /give it one of --context FILE and --event NAME/],
    [['run', 'a.sh', '--context', '-', '--object', '-'], /--object and --binding say more of an --event/],
    [['run', 'hooks', '--event', 'Added'], /hooks is not a hook: a directory, expected a file/],
    [['run', '--context', '-'], /missing required argument 'hook'/],
    [['start', '--hooks-dir', 'nowhere'], /hooks directory .*nowhere does not exist/],
    [['dev', 'nowhere'], /hooks directory .*nowhere does not exist/],
    [['check', 'nowhere'], /hooks directory .*nowhere does not exist/],
    [['dev', '.', '--manifests', 'nowhere'], /--manifests: got "nowhere", expected a file or folder that exists/],
    [['dev', '.', '--port', '65536'], /--port: got "65536", expected a number from 0 to 65535/],
    [['start', '--listen-port', 'x'], /--listen-port: got "x", expected/],
    [['filter'], /takes one expression/],
    [['run', 'nowhere.sh', '--context', '-'], /nowhere\.sh is not a hook: no such file/],
  ])('%j is wrong usage', async (args, message) => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(process, 'cwd').mockReturnValue(cwd);

    const exitCode = await main(args);

    expect([exitCode, stdout.mock.calls]).toEqual([2, []]);
    expect(stderr.mock.calls.join('')).toMatch(message);
    expect(stderr.mock.calls.join('')).toMatch(/See hooklet --help\.\n$/);
  });

  it('reports all bad values of the environment at once', async () => {
    const { exitCode, stderr } = await runProgram(['start'], {
      cwd,
      env: { HOOKLET_LISTEN_PORT: 'x', DEBUG_KEEP_TMP_FILES: 'maybe', HOOKLET_GRACE_PERIOD: '25' },
    });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('HOOKLET_LISTEN_PORT: got "x", expected a whole number');
    expect(stderr).toContain('DEBUG_KEEP_TMP_FILES: got "maybe", expected true or false');
    expect(stderr).toContain('HOOKLET_GRACE_PERIOD: got "25", expected a duration such as 500ms, 25s or 1h30m');
  });

  it('debug-options shows the flags that start has for debugging', async () => {
    const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());

    expect(await main(['debug-options'])).toBe(0);
    const text = stdout.mock.calls.join('');
    expect(text).toMatch(/^usage: hooklet start \[flags\]\n\nDebug flags:\n {2}--debug-http-addr\n {8}/);
    expect([...text.matchAll(/^ {2}(--\S+)$/gm)].map(([, flag]) => flag)).toEqual([
      '--debug-http-addr',
      '--debug-keep-tmp-files',
      '--debug-kubernetes-api',
      '--debug-unix-socket',
    ]);
  });

  it('without anything is the help on a terminal, and start elsewhere', async () => {
    const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());

    expect(await main([], true)).toBe(0);
    expect(stdout.mock.calls.join('')).toMatch(/^Usage: hooklet/);

    const { exitCode, stderr } = await runProgram([], { cwd });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^hooklet: no cluster to connect to/);
  });

  it('without a command is start, also with flags, and says when there is no cluster', async () => {
    const { exitCode, stderr } = await runProgram(['--log-format', 'text'], { cwd });

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^hooklet: no cluster to connect to: KUBECONFIG is not set, there is no .*\.kube\/config/);
    expect(stderr).not.toContain('at ');
  });

  it('says who to ask when its port is in use', async () => {
    const sandbox = await sandboxForTest();
    await using other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const { exitCode, stderr } = await runProgram(['start', '--listen-address', '127.0.0.1', '--listen-port', port], {
      cwd,
      env: { KUBECONFIG: kubeconfigFile(cwd, sandbox), HOOKLET_TMP_DIR: join(cwd, 'tmp') },
    });
    const dev = await runProgram(['dev', 'hooks', '--port', port], { cwd });

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/cannot listen on 127\.0\.0\.1:\d+: another process listens there/);
    expect(dev.exitCode).toBe(2);
    expect(dev.stderr).toMatch(/the API server cannot listen on port \d+: .*choose another with --port/);
  });

  it('runs filter and jq on standard input', async () => {
    const stdin = '{"metadata":{"name":"web"},"n":1}\n';

    expect(await runProgram(['filter', '.metadata'], { stdin })).toMatchObject({
      exitCode: 0,
      stdout: '{"name":"web"}\n',
    });
    expect(await runProgram(['jq', '-r', '.metadata.name'], { stdin })).toMatchObject({ exitCode: 0, stdout: 'web\n' });
    expect(await runProgram(['jq', '-e', '.none'], { stdin })).toMatchObject({ exitCode: 1, stdout: 'null\n' });
    expect(await runProgram(['jq', '.['], { stdin })).toMatchObject({ exitCode: 3, stdout: '' });
  });
});
