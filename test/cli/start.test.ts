import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { markedProcesses, temporaryFolder } from '../support/hook-rig.ts';
import { kubeconfigFile } from '../support/kubeconfig-file.ts';
import { recordingHook, until } from '../support/operator-rig.ts';
import { startProgram, type Program } from '../support/program.ts';
import { within } from '../support/within.ts';

const COMMON = ['start', '--listen-port', '0', '--listen-address', '127.0.0.1'];
const WAIT = ': > "$OUT/began"\nwhile ! [ -e "$OUT/go" ]; do sleep 0.01; done';

let folder: ReturnType<typeof temporaryFolder>;
let sandbox: Sandbox;

beforeEach(async () => {
  folder = temporaryFolder();
  for (const name of ['hooks', 'out', 'tmp']) mkdirSync(path(name));
  sandbox = await sandboxForTest();
});

afterEach(() => folder[Symbol.dispose]());

function path(...names: readonly string[]): string {
  return join(folder.path, ...names);
}

function hook(name: string, text: string): void {
  writeFileSync(path('hooks', name), text);
  chmodSync(path('hooks', name), 0o755);
}

function start(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Program {
  return startProgram([...COMMON, ...args], {
    cwd: folder.path,
    env: {
      KUBECONFIG: kubeconfigFile(folder.path, sandbox),
      HOOKLET_TMP_DIR: path('tmp'),
      OUT: path('out'),
      MARK: folder.path,
      ...env,
    },
  });
}

const logged = (program: Program): readonly Readonly<Record<string, unknown>>[] =>
  program
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

/** Fails the test when the program or a process that it started is still there. */
async function expectNothingLeft(): Promise<void> {
  expect(readdirSync(path('tmp'))).toEqual([]);
  // A killed process disappears only when the kernel gets to it.
  await until(() => expect(markedProcesses(`MARK=${folder.path}`)).toEqual([]));
}

describe('hooklet start', () => {
  it('ends by itself where there is no cluster, and leaves nothing of a TypeScript hook that is being loaded', async () => {
    const source =
      "import { defineHook, onStartup } from 'hooklet';\nexport default defineHook({ bindings: { a: onStartup(1) }, run() {} });\n";
    for (const name of ['a.ts', 'b.ts', 'c.ts']) writeFileSync(path('hooks', name), source);

    const program = start([], { KUBECONFIG: path('missing') });

    expect(await program.ended).toBe(1);
    expect(program.stderr()).toContain('hooklet: ');
    await expectNothingLeft();
  });

  it.each([
    [
      'an exec plugin that does not end',
      () => ({
        exec: { apiVersion: 'client.authentication.k8s.io/v1', command: path('plugin'), interactiveMode: 'Never' },
      }),
    ],
    ['a token file that is a pipe', () => ({ tokenFile: path('pipe') })],
  ])('ends within 2 s of SIGTERM while it waits for %s', async (_what, user) => {
    writeFileSync(path('plugin'), '#!/bin/sh\ntrap "" TERM\nsleep 600 & wait; sleep 600\n', { mode: 0o755 });
    execFileSync('mkfifo', [path('pipe')]);
    const cluster = { name: 'c', cluster: { server: sandbox.url } };
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [cluster],
      users: [{ name: 'u', user: user() }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    writeFileSync(path('waiting'), JSON.stringify(kubeconfig));
    hook('a.sh', recordingHook({ configVersion: 'v1', kubernetes: [{ kind: 'Pod' }] }));
    const program = start([], { KUBECONFIG: path('waiting') });
    await program.says('"msg":"hook loaded"');
    let hasEnded = false;
    void program.ended.then(() => (hasEnded = true));

    program.signal('SIGTERM');

    await within(2000, () => expect(hasEnded).toBe(true));
    await expectNothingLeft();
  });

  it('runs the hooks, writes JSON where there is no terminal, and ends with 0 within 1 s of SIGTERM', async () => {
    hook('a.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }));
    const program = start();
    await program.says('"msg":"hook finished"');

    program.signal('SIGTERM');

    await within(1000, () => expect(program.hasEnded()).toBe(true));
    expect(await program.ended).toBe(0);
    expect(program.stderr()).toBe('');
    expect(logged(program).map(({ msg }) => msg)).toEqual([
      'hooklet starts',
      'serving /metrics, /healthz and /readyz',
      'cluster found',
      'hook loaded',
      'hook finished',
      'shutting down',
      'hooklet ended',
    ]);
    await expectNothingLeft();
  });

  it('logs the server and its proxy without the passwords in their URLs', async () => {
    const { host } = new URL(sandbox.url);
    const cluster = { server: `http://admin:s3cret@${host}`, 'proxy-url': 'http://user:s3cret@127.0.0.1:1' };
    writeFileSync(
      path('with-passwords'),
      JSON.stringify({
        clusters: [{ name: 'c', cluster }],
        contexts: [{ name: 'c', context: { cluster: 'c' } }],
        'current-context': 'c',
      }),
    );
    const program = start([], { KUBECONFIG: path('with-passwords') });
    await program.says('"msg":"cluster found"');

    program.signal('SIGTERM');
    await program.ended;

    expect(logged(program).find(({ msg }) => msg === 'cluster found')).toMatchObject({
      server: `http://redacted@${host}/`,
      proxy: 'http://redacted@127.0.0.1:1/',
    });
    expect(program.stdout()).not.toContain('s3cret');
  });

  it('lets the run under way finish at SIGTERM, and applies its patches', async () => {
    const operation = {
      operation: 'Create',
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'last' } },
    };
    const body = `${WAIT}\necho '${JSON.stringify(operation)}' > "$KUBERNETES_PATCH_PATH"`;
    hook('a.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }, body));
    const program = start();
    await until(() => expect(existsSync(path('out', 'began'))).toBe(true));

    program.signal('SIGTERM');
    await program.says('shutting down');
    writeFileSync(path('out', 'go'), '');

    expect(await program.ended).toBe(0);
    expect((await sandbox.call('GET', '/api/v1/namespaces/default/configmaps/last')).code).toBe(200);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('ends at once at a second %s, hooks included, with %i', async (signal, code) => {
    hook('a.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }, WAIT));
    const program = start();
    await until(() => expect(existsSync(path('out', 'began'))).toBe(true));

    program.signal(signal);
    await program.says('shutting down');
    program.signal(signal);

    expect(await program.ended).toBe(code);
    await until(() => expect(markedProcesses(`MARK=${folder.path}`)).toEqual([]));
  });

  it('ends a run that outlasts the grace period', async () => {
    hook('a.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }, WAIT));
    const program = start(['--grace-period', '100ms']);
    await until(() => expect(existsSync(path('out', 'began'))).toBe(true));

    program.signal('SIGTERM');

    expect(await program.ended).toBe(0);
    await expectNothingLeft();
  });

  it('starts with the flags of shell-operator, and says which have no effect', async () => {
    const program = start(
      ['--namespace', 'x', '--log-type', 'json', '--log-no-time', '--kube-server=x', '--log-proxy-hook-json=true'],
      { OBJECT_PATCHER_KUBE_CLIENT_TIMEOUT: '10s', LOG_LEVEL: 'loud' },
    );
    await program.says('serving');
    program.signal('SIGTERM');
    await program.ended;

    const warned = logged(program).filter(({ msg }) => String(msg).includes('no effect'));
    expect(warned).toEqual([
      expect.objectContaining({
        msg: 'options of shell-operator have no effect here',
        options: ['--kube-server', '--log-no-time', 'OBJECT_PATCHER_KUBE_CLIENT_TIMEOUT'],
      }),
    ]);
    expect(logged(program)).toContainEqual(
      expect.objectContaining({
        msg: 'option taken otherwise',
        option: expect.stringContaining('LOG_LEVEL: got "loud"'),
      }),
    );
  });
});
