import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backupFolder, nameOf, scheduledBackup, tickOf } from '../../support/backup-folder.ts';
import { runScript, type ScriptResult } from '../../support/script-rig.ts';
import { startEtcdMembers, type EtcdMembers } from './backup-etcd-members.ts';

const LIMIT_MS = 300_000;
const HOOK = join(scheduledBackup, 'hooks', 'etcd', 'backup.sh');

interface Run extends ScriptResult {
  /** The manifests of the backups there are after it. */
  readonly published: readonly object[];
}

async function backUp(members: EtcdMembers, env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const folder = backupFolder();
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
