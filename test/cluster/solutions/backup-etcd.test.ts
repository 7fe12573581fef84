import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { backupFolder, nameOf, ownBackupFolder, backupSolution, tickOf } from '../../support/backup-folder.ts';
import { createCertificate } from '../../support/certificate.ts';
import { runScript, type ScriptResult } from '../../support/script-rig.ts';
import { startEtcdMembers, type EtcdMembers } from './backup-etcd-members.ts';

const LIMIT_MS = 300_000;
const HOOK = join(backupSolution, 'hooks', 'etcd', 'backup.sh');
const RESTORE = join(backupSolution, 'restore', 'etcd.sh');

interface Run extends ScriptResult {
  /** The manifests of the backups that exist after it. */
  readonly published: readonly object[];
}

async function backUp(members: EtcdMembers, env: Readonly<Record<string, string>> = {}): Promise<Run> {
  using folder = ownBackupFolder();
  const result = await runScript(HOOK, { contexts: [tickOf(1)], env: { ...folder.env, ...members.env, ...env } });
  return { ...result, published: publishedIn(folder.root) };
}

function publishedIn(root: string): readonly object[] {
  const target = join(root, 'backups', 'default', 'etcd');
  const names = readdirSync(target).filter((name) => name.startsWith('2'));
  return names.map((name) => JSON.parse(readFileSync(join(target, name, 'manifest.json'), 'utf8')));
}

const linesOf = ({ printed }: ScriptResult): string => printed.join('\n');

describe('a backup of etcd', { timeout: LIMIT_MS }, () => {
  it('counts when all members hold the same, and says how many that were', async () => {
    await using members = await startEtcdMembers(3);
    await members.ask('put', '/greeting', 'hello');

    const run = await backUp(members);

    expect(run.failure).toBeUndefined();
    expect(run.published).toMatchObject([{ backup: nameOf(1), verified: 'yes', counts: { membersAlike: 3 } }]);
    expect(linesOf(run)).not.toContain('not compared');
  });

  it.each([0, 1, 2])('is refused while member %i holds other bytes than the others', async (index) => {
    await using members = await startEtcdMembers(3);
    await members.ask('put', '/greeting', 'hello-of-all');
    await members.corrupt(index, 'hello-of-all', 'hello-of-one');

    const run = await backUp(members);

    expect(run.published).toEqual([]);
    expect(run.failure).toContain('MembersDiffer: etcd, step check: the members hold different data at revision');
    for (const [other, url] of members.urls.entries()) expect(run.failure).toContain(`etcd-${other} (${url}) has hash`);
    const told = [...(run.failure ?? '').matchAll(/etcd-(\d) \(\S+\) has hash (\d+)/g)];
    const wrong = told.find(([, other]) => other === String(index))?.[2];
    expect(new Set(told.map(([, , hash]) => hash)).size).toBe(2);
    expect(told.filter(([, , hash]) => hash === wrong)).toHaveLength(1);
    expect(JSON.parse(run.patch).object.reason).toBe('BackupMembersDiffer');
  });

  it('compares members that the settings do not name', async () => {
    await using members = await startEtcdMembers(3);
    await members.ask('put', '/greeting', 'hello-of-all');
    await members.corrupt(2, 'hello-of-all', 'hello-of-one');

    const run = await backUp(members, { ETCDCTL_ENDPOINTS: members.urls[0] ?? '' });

    expect(run.failure).toContain(`etcd-2 (${members.urls[2]}) has hash`);
  });

  it('is made while one member of three is dead, and says who was not compared', async () => {
    await using members = await startEtcdMembers(3);
    await members.ask('put', '/greeting', 'hello');
    await members.kill(0);

    const run = await backUp(members);

    expect(run.failure).toBeUndefined();
    expect(run.published).toMatchObject([{ verified: 'yes', counts: { membersAlike: 2 } }]);
    expect(linesOf(run)).toContain('not compared with the others, as they do not answer: etcd-0');
  });

  it('is refused when what comes back holds other bytes than the members', async () => {
    await using members = await startEtcdMembers(1);
    await members.ask('put', '/greeting', 'hello-of-all');
    const etcdutl = `#!/bin/bash
PATH=\${PATH#*:}
etcdutl "$@" || exit
[[ $* != 'snapshot restore '* ]] || sed -i s/hello-of-all/hello-of-one/ "$5/member/snap/db"
`;
    const folder = backupFolder();

    const run = await runScript(HOOK, {
      contexts: [tickOf(1)],
      env: { ...folder.env, ...members.env },
      programs: { etcdutl },
    });

    expect(run.failure).toMatch(/VerifyFailed: etcd, step verify: what was restored has the hash \d+ at revision/);
    expect(publishedIn(folder.root)).toEqual([]);
  });

  it('goes on while the cluster is written to and compacted all the time', async () => {
    await using members = await startEtcdMembers(3);
    let isOver = false;
    const write = async (): Promise<number> => {
      let revision = 0;
      while (!isOver) {
        const said = JSON.parse(await members.ask('put', '/busy', crypto.randomUUID(), '-w', 'json'));
        revision = said.header.revision;
        if (revision % 5 === 0) await members.ask('compact', String(revision - 2));
      }
      return revision;
    };
    const writer = write();

    const run = await backUp(members);

    isOver = true;
    expect(await writer).toBeGreaterThan(10);
    expect(run.failure).toBeUndefined();
    expect(run.published).toMatchObject([{ verified: 'yes' }]);
  });
});

// They wait for the timeouts of etcdctl.
describe.concurrent('a backup of an etcd that does not answer', { timeout: LIMIT_MS }, () => {
  it('says that it is refused a connection', async () => {
    await using members = await startEtcdMembers(1);
    await members.kill(0);

    const { failure } = await backUp(members);

    expect(failure).toMatch(
      /DatabaseUnreachable: etcd, step check: no member of .*: Failed to get the status of endpoint \S+ \(context deadline exceeded\): transport: Error while dialing: dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/m,
    );
    expect(failure).not.toContain('"level"');
  });

  it('says that its name is not known', async () => {
    await using members = await startEtcdMembers(1);

    const { failure } = await backUp(members, { ETCDCTL_ENDPOINTS: 'http://no-such-member.invalid:2379' });

    expect(failure).toMatch(/DatabaseUnreachable: .*: dial tcp: lookup no-such-member\.invalid.*$/m);
  });

  it('says that another authority has signed its certificate', async () => {
    await using members = await startEtcdMembers(1);
    const server = createServer(createCertificate()).on('tlsClientError', () => undefined);
    using ends = new DisposableStack();
    ends.defer(() => void server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const authority = join(ends.use(ownBackupFolder()).root, 'ca.crt');
    writeFileSync(authority, createCertificate({ commonName: 'another' }).cert);

    const { failure } = await backUp(members, {
      ETCDCTL_ENDPOINTS: `https://127.0.0.1:${port}`,
      ETCDCTL_CACERT: authority,
    });

    expect(failure).toMatch(/DatabaseUnreachable: .*certificates: .*x509: certificate signed by unknown authority/);
    expect(failure).not.toContain('"level"');
  });

  it('says that the password is wrong', async () => {
    await using members = await startEtcdMembers(1);
    await members.ask('user', 'add', 'root:right');
    await members.ask('user', 'grant-role', 'root', 'root');
    await members.ask('auth', 'enable');

    const { failure } = await backUp(members, { ETCDCTL_USER: 'root:wrong' });

    expect(failure).toMatch(/WrongCredentials: .*: etcdserver: authentication failed, invalid user ID or password$/m);
  });
});

describe('the restore of etcd', { timeout: LIMIT_MS }, () => {
  const member = ['--name', 'etcd-0', '--initial-cluster', 'etcd-0=http://etcd-0:2380,etcd-1=http://etcd-1:2380'];
  const whole = [...member, '--initial-advertise-peer-urls', 'http://etcd-0:2380', '--initial-cluster-token=again'];

  it.each([
    [['--data-dir', 'DATA'], '--name --initial-cluster --initial-advertise-peer-urls missing'],
    [whole, '--data-dir missing'],
    [['--data-dir', 'DATA', ...member], '--initial-advertise-peer-urls missing'],
    [['--data-dir', 'DATA', ...whole, '--name=etcd-7'], 'expected to have etcd-7=URL'],
    [['--data-dir', 'DATA', ...whole, '--foce'], 'unknown argument --foce'],
    [['--data-dir', 'DATA', ...member, '--initial-advertise-peer-urls'], 'a value is missing after'],
    [['--data-dir', 'DATA', ...whole, '--backup'], 'the name of a backup is missing after --backup'],
  ])('with %j is refused before anything is looked for', async (args, words) => {
    const { env, root } = backupFolder();
    const data = join(root, 'data');
    const given = args.map((one) => (one === 'DATA' ? data : one));

    const restored = promisify(execFile)(RESTORE, given, { env: { ...process.env, ...env } });

    await expect(restored).rejects.toThrow('BadSettings: etcd, step start: ');
    await expect(restored).rejects.toThrow(words);
    expect(existsSync(data)).toBe(false);
  });

  it('makes the member that it is told to', async () => {
    await using members = await startEtcdMembers(1);
    await members.ask('put', '/greeting', 'hello');
    const { env, root } = backupFolder();
    const all = { ...env, ...members.env };
    expect((await runScript(HOOK, { contexts: [tickOf(1)], env: all })).failure).toBeUndefined();
    const identity = JSON.parse(
      readFileSync(join(root, 'backups', 'default', 'etcd', nameOf(1), 'manifest.json'), 'utf8'),
    ).identity;
    const data = join(root, 'data');

    await promisify(execFile)(RESTORE, ['--take-over', identity, '--data-dir', data, ...whole], {
      env: { ...process.env, ...all },
    });

    expect(existsSync(join(data, 'member', 'snap', 'db'))).toBe(true);
  });
});
