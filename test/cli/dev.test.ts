import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { markedProcesses, temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, until } from '../support/operator-rig.ts';
import { startProgram, type Program } from '../support/program.ts';

let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
  for (const name of ['hooks', 'hooks/manifests', 'out', 'tmp']) mkdirSync(path(name));
});

afterEach(() => folder[Symbol.dispose]());

function path(...names: readonly string[]): string {
  return join(folder.path, ...names);
}

function hook(name: string, text: string): void {
  writeFileSync(path('hooks', name), text);
  chmodSync(path('hooks', name), 0o755);
}

function manifest(name: string, ...maps: readonly string[]): void {
  const documents = maps.map((map) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${map}}\n`);
  writeFileSync(path('hooks', 'manifests', name), documents.join('---\n'));
}

function dev(...args: readonly string[]): Program {
  return startProgram(['dev', ...args], {
    cwd: folder.path,
    env: { TMPDIR: path('tmp'), OUT: path('out'), MARK: folder.path },
  });
}

const says = (text: string) => recordingHook({ configVersion: 'v1', onStartup: 1 }, `echo "${text}"`);

describe('hooklet dev', () => {
  it('says where the sandbox is, what each hook binds to, what ran, and what to try', async () => {
    hook('a.sh', says('hello'));
    manifest('m.yaml', 'mine');
    const program = dev();
    await program.says('hook finished');

    const printed = program.stdout();
    expect(printed).toMatch(/sandbox API server started {2}url=http:\/\/127\.0\.0\.1:\d+ kubeconfig=\S+/);
    expect(printed).toContain('manifest applied  object=v1/ConfigMap/mine file=m.yaml');
    expect(printed).toMatch(/hook loaded {2}hook=a\.sh\n {4}onStartup 1\n/);
    expect(printed).toMatch(/try next\n( {4}.+\n){5}/);
    const [, tmpDir = ''] = / {4}hooklet runs list --tmp-dir (\S+)\n/.exec(printed) ?? [];
    expect(existsSync(join(tmpDir, 'hooklet.socket'))).toBe(true);
    expect(printed).toContain('a.sh | hello\n');
    expect(printed).toMatch(/hook finished {2}hook=a\.sh .*event=onStartup run=[-0-9a-f]{36} durationMs=\d+/);
  });

  it('answers no page of a browser that has its own name resolve to this machine', async () => {
    hook('a.sh', says('hello'));
    const program = dev();
    await program.says('hook finished');
    const printed = program.stdout();
    const sandbox = `${/sandbox API server started {2}url=(\S+)/.exec(printed)?.[1]}/api/v1/namespaces`;
    const metrics = `${/url=(\S+)/.exec(printed.split('\n').find((line) => line.includes('serving /metrics')) ?? '')?.[1]}/metrics`;
    const statusFor = async (url: string, host: string): Promise<number | undefined> => {
      const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
      request(url, { headers: { host } }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
      return promise;
    };

    for (const url of [sandbox, metrics]) {
      expect(await statusFor(url, 'evil.example')).toBe(421);
      expect(await statusFor(url, `localhost:${new URL(url).port}`)).toBe(200);
      expect(await statusFor(url, `127.0.0.1:${new URL(url).port}`)).toBe(200);
    }
  });

  it('loads a hook again when it is edited, also one that was broken, and a new one', async () => {
    hook('a.sh', says('first'));
    hook('b.sh', '#!/bin/sh\nexit 3\n');
    const program = dev('hooks');
    await program.says('a.sh | first');
    await program.says('hook is broken');

    hook('a.sh', says('second'));
    await program.says('a.sh | second');
    hook('b.sh', says('mended'));
    await program.says('b.sh | mended');
    hook('c.sh', says('new'));

    await program.says('c.sh | new');
  });

  it('applies a manifest again when it is edited, and deletes what is gone', async () => {
    manifest('m.yaml', 'one', 'two');
    const program = dev();
    await program.says('try next');

    manifest('m.yaml', 'one', 'three');
    await program.says('manifest applied  object=v1/ConfigMap/three');
    await program.says('manifest deleted  object=v1/ConfigMap/two');
    rmSync(path('hooks', 'manifests', 'm.yaml'));

    await program.says('manifest deleted  object=v1/ConfigMap/one');
  });

  it('takes the manifests and the port it is told', async () => {
    mkdirSync(path('others'));
    writeFileSync(path('others', 'm.json'), '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"other"}}');
    manifest('m.yaml', 'not-this');
    const program = dev('hooks', '--manifests', 'others', '--port', '0', '--log-format', 'json');
    await program.says('"try next"');

    expect(program.stdout()).toContain('"object":"v1/Namespace/other"');
    expect(program.stdout()).not.toContain('not-this');
  });

  it('applies each of two --manifests, a file and a folder, and follows both', async () => {
    for (const folder of ['one', 'two']) mkdirSync(path(folder));
    const namespace = (name: string): string => `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"${name}"}}`;
    writeFileSync(path('one', 'crd.json'), namespace('of-the-file'));
    writeFileSync(path('one', 'other.json'), namespace('not-asked-for'));
    writeFileSync(path('two', 'm.json'), namespace('of-the-folder'));
    const given = ['--manifests', join('one', 'crd.json'), '--manifests', 'two'];
    const program = dev('hooks', ...given, '--port', '0', '--log-format', 'json');
    await program.says('"try next"');
    expect(program.stdout()).toMatch(
      /"object":"v1\/Namespace\/of-the-file"[^]*"object":"v1\/Namespace\/of-the-folder"/,
    );

    writeFileSync(path('one', 'crd.json'), namespace('changed'));

    await program.says('"object":"v1/Namespace/changed"');
    expect(program.stdout()).not.toContain('not-asked-for');
  });

  it.each([
    ['while nothing runs', 'echo ready'],
    ['while a hook runs', 'echo ready; sleep 600'],
    ['while a hook runs that does not want to end', "trap '' TERM INT; echo ready; sleep 600; sleep 600"],
  ])('ends with 0 after Ctrl-C %s, and leaves nothing behind', async (_, body) => {
    hook('a.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }, body));
    const program = dev();
    await program.says('a.sh | ready');

    program.signal('SIGINT', 'group');

    expect(await program.ended).toBe(0);
    await until(() => expect(markedProcesses(`MARK=${folder.path}`)).toEqual([]));
    expect(readdirSync(path('tmp')).filter((name) => name !== 'node-compile-cache')).toEqual([]);
  });

  it('removes its folder also when a second Ctrl-C cuts it short', async () => {
    hook('a.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }, "trap '' TERM INT; echo ready; sleep 600"));
    const program = dev();
    await program.says('a.sh | ready');

    program.signal('SIGINT', 'group');
    program.signal('SIGINT', 'group');

    expect([0, 130]).toContain(await program.ended);
    await until(() => expect(markedProcesses(`MARK=${folder.path}`)).toEqual([]));
    expect(readdirSync(path('tmp')).filter((name) => name !== 'node-compile-cache')).toEqual([]);
  });

  it('finds with --data the cluster of the last time, and goes on from there', async () => {
    manifest('m.yaml', 'kept');
    const first = dev('hooks', '--data', 'cluster.json');
    await first.says('try next');
    first.signal('SIGINT', 'group');
    expect(await first.ended).toBe(0);
    rmSync(path('hooks', 'manifests', 'm.yaml'));

    const second = dev('hooks', '--data', 'cluster.json');
    await second.says('try next');

    const url = /url=(\S+)/.exec(second.stdout())?.[1] ?? '';
    const answer = await fetch(`${url}/api/v1/namespaces/default/configmaps/kept`);
    expect(answer.status).toBe(200);
  });

  it('tries the file of --data before it starts anything', async () => {
    const program = dev('hooks', '--data', 'absent/cluster.json');

    expect(await program.ended).toBe(2);
    expect(program.stderr()).toMatch(/^hooklet: --data: absent\/cluster\.json cannot be written: ENOENT/);
    expect(program.stdout()).toBe('');
  });

  it('says what is wrong with the file of --data', async () => {
    writeFileSync(path('cluster.json'), '{"kind":"Other"}');
    const program = dev('hooks', '--data', 'cluster.json');

    expect(await program.ended).toBe(2);
    expect(program.stderr()).toContain('cluster.json does not hold the state of a sandbox: kind is "Other"');
  });

  it('writes with --kubeconfig a file for other terminals, for this user alone, and removes it at the end', async () => {
    hook('a.sh', says('hello'));
    const program = dev('hooks', '--kubeconfig', 'dev.kubeconfig');
    await program.says('try next');

    const file = path('dev.kubeconfig');
    const url = /url=(\S+)/.exec(program.stdout())?.[1] ?? '';
    expect(readFileSync(file, 'utf8')).toContain(url);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(program.stdout()).toContain(`KUBECONFIG=${file} kubectl get`);
    program.signal('SIGINT', 'group');

    expect(await program.ended).toBe(0);
    expect(readdirSync(folder.path)).not.toContain('dev.kubeconfig');
  });

  it('refuses to write over another file', async () => {
    writeFileSync(path('config'), 'apiVersion: v1\nkind: Config\nclusters: []\n');
    const program = dev('hooks', '--kubeconfig', 'config');

    expect(await program.ended).toBe(2);
    expect(program.stderr()).toMatch(/^hooklet: --kubeconfig: config exists and was not written by hooklet dev/);
    expect(readFileSync(path('config'), 'utf8')).toContain('clusters: []');
  });
});
