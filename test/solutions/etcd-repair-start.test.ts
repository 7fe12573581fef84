import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { solutionsDir } from '../support/solutions.ts';

const SCRIPT = join(solutionsDir, 'etcd-repair', 'manifests', 'try', 'start.sh');
const PROGRAMS = {
  etcd: '#!/bin/sh\necho "${ETCD_DATA_DIR-no variable}" "$@"\n',
  etcdctl: '#!/bin/sh\necho "$2" > "$TMPDIR/asked"\ncat "$TMPDIR/members" 2> /dev/null\n',
  curl: '#!/bin/sh\necho "$@"\n',
};

let folder: string;
let env: Readonly<Record<string, string>>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hooklet-etcd-start-'));
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(programs, name), text, { mode: 0o755 });
  mkdirSync(join(folder, 'disk'));
  env = {
    PATH: [programs, process.env['PATH']].join(delimiter),
    TMPDIR: folder,
    POD_NAME: 'etcd-1',
    POD_NAMESPACE: 'db',
    REPLICAS: '3',
    ETCD_DATA_DIR: join(folder, 'disk', 'data'),
    CLUSTER_DIR: join(folder, 'cluster'),
  };
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a log file where etcd with this data folder has one. */
function writeLog(...data: readonly string[]): void {
  const wal = join(folder, 'disk', ...data, 'member', 'wal');
  mkdirSync(wal, { recursive: true });
  writeFileSync(join(wal, '0.wal'), '');
}

function start(changes: Readonly<Record<string, string>> = {}, ...args: readonly string[]) {
  const { stdout, stderr, status } = spawnSync('/bin/sh', [SCRIPT, ...args], {
    env: { ...env, ...changes },
    encoding: 'utf8',
    timeout: 10_000,
  });
  return { stdout, stderr, status };
}

/** The first line of a script that waits; the script is then ended. */
async function waiting(changes: Readonly<Record<string, string>> = {}): Promise<string> {
  const script = spawn('/bin/sh', [SCRIPT], { env: { ...env, ...changes } });
  const ended = Promise.withResolvers<number | null>();
  let said = '';
  script.stdout.on('data', (part: Buffer) => {
    said += part.toString();
    script.kill('SIGTERM');
  });
  script.on('close', ended.resolve);
  expect(await ended.promise).toBe(0);
  return said.trim();
}

/** Writes the list of members that the other members return. */
function writeMembers(...lines: readonly string[]): void {
  writeFileSync(join(folder, 'members'), lines.map((line) => `${line}\n`).join(''));
}

const OTHER = '1, started, etcd-0, http://etcd-0.etcd.db.svc:2380, http://etcd-0.etcd.db.svc:2379, false';

describe('the start script of a member', () => {
  it('starts what has a log, with the data where it is', () => {
    writeLog('data');

    const { stdout, status } = start();

    expect(status).toBe(0);
    // etcd refuses to start with both the variable and the flag.
    expect(stdout).toMatch(/^no variable --name etcd-1 /);
    expect(stdout).toContain(`--data-dir ${join(folder, 'disk', 'data')} `);
    expect(stdout).toContain(
      '--initial-cluster etcd-1=http://etcd-1.etcd.db.svc:2380 --initial-cluster-state existing',
    );
    expect(stdout).toContain('--listen-peer-urls http://0.0.0.0:2380 --listen-client-urls http://0.0.0.0:2379');
    expect(stdout).toContain('--listen-metrics-urls http://0.0.0.0:2381');
  });

  it('takes other folders, ports and names', () => {
    writeLog();
    const ports = { CLIENT_LISTEN_PORT: '12379', PEER_LISTEN_PORT: '12380', METRICS_LISTEN_PORT: '12381' };
    const there = { ETCD_DATA_DIR: join(folder, 'disk'), DOMAIN: 'etcd.example.com', SCHEME: 'https', ...ports };

    const { stdout } = start(there);

    expect(stdout).toContain(`--data-dir ${join(folder, 'disk')} `);
    expect(stdout).toContain('--initial-advertise-peer-urls https://etcd-1.etcd.example.com:12380');
    expect(stdout).toContain('--advertise-client-urls https://etcd-1.etcd.example.com:12379');
    expect(stdout).toContain('--listen-peer-urls https://0.0.0.0:12380 --listen-client-urls https://0.0.0.0:12379');
    expect(stdout).toContain('--listen-metrics-urls http://0.0.0.0:12381');
    expect(start(there, 'alive').status).toBe(0);
  });

  it.each([
    ['directly on the disk', [], 'data'],
    ['in a folder of the disk', ['default.etcd'], ''],
  ])('does not take a disk for empty whose data is %s', (_, data, dataDir) => {
    writeLog(...data);
    writeMembers('2, unstarted, , http://etcd-1.etcd.db.svc:2380, , true', OTHER);
    const there = join(folder, 'disk', ...data);

    const { stdout, stderr, status } = start({ ETCD_DATA_DIR: join(folder, 'disk', dataDir) });

    expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
    expect(stderr).toContain(`${there}/member`);
    expect(stderr).toContain(`ETCD_DATA_DIR`);
    expect(existsSync(join(there, 'member', 'wal', '0.wal'))).toBe(true);
  });

  it.each(['POD_NAME', 'POD_NAMESPACE', 'REPLICAS'])('fails without %s, and says so', (name) => {
    const { stdout, stderr, status } = start({ [name]: '' });

    expect(status).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain(`${name}: is not set`);
  });

  it('joins with the members there are when it was added, at the ports of the others', () => {
    writeMembers('2, unstarted, , http://etcd-1.etcd.db.svc:12380, , true', OTHER.replaceAll('2380', '12380'));

    const { stdout } = start({ CLIENT_LISTEN_PORT: '12379', PEER_LISTEN_PORT: '12380' });

    expect(stdout).toContain(
      '--initial-cluster etcd-1=http://etcd-1.etcd.db.svc:12380,etcd-0=http://etcd-0.etcd.db.svc:12380 --initial-cluster-state existing',
    );
    const { stdout: asked } = spawnSync('cat', [join(folder, 'asked')], { encoding: 'utf8' });
    expect(asked.trim()).toBe('http://etcd-0.etcd.db.svc:12379,http://etcd-2.etcd.db.svc:12379');
  });

  it('starts a new cluster only where the ConfigMap says so', async () => {
    expect(await waiting()).toContain('the disk is empty and no other member answers');
    mkdirSync(join(folder, 'cluster'));
    writeFileSync(join(folder, 'cluster', 'state'), 'new');

    expect(start().stdout).toContain('--initial-cluster-state new');
  });

  it('waits while the others know it, and its disk is empty', async () => {
    writeMembers(OTHER.replaceAll('etcd-0', 'etcd-1'), OTHER);

    expect(await waiting()).toContain('it waits to be replaced');
    expect(start({}, 'alive').status).toBe(0);
  });
});
