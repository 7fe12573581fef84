import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  keepNewest,
  makeRoom,
  removeAllButNewest,
  type SnapshotStorage,
} from '../../solutions/etcd-repair/hooks/lib/snapshot-files.ts';

const nowMs = Date.parse('2026-01-02T12:00:00Z');
const now = nowMs / 1000;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hooklet-snapshots-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Writes files whose text says whether the snapshot is intact. */
function storageOf(files: Readonly<Record<string, 'good' | 'torn' | 'slow'>>, snapshotsKept = 2): SnapshotStorage {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const etcd = {
    snapshotRevision: async (file: string): Promise<number> => {
      const text = readFileSync(file, 'utf8');
      if (text === 'good') return 7;
      throw Object.assign(new Error('not whole'), { killed: text === 'slow' });
    },
  };
  const settings = {
    snapshotDir: folder,
    namespace: 'db',
    statefulset: 'etcd',
    snapshotsKept,
    snapshotTimeoutMs: 1000,
  };
  return { settings, etcd, nowMs };
}

const kept = (): readonly string[] => readdirSync(folder).toSorted();
const named = (...seconds: readonly number[]): readonly string[] => seconds.map((one) => `db-etcd-${one}.db`);

describe('of the snapshots before repairs', () => {
  it('stay the one just made and the newest good ones, whatever their names say', async () => {
    const [made = '', newer = '', torn = '', old = '', future = ''] = named(
      now - 50,
      now - 10,
      now - 20,
      now - 90,
      now * 2,
    );
    const storage = storageOf({ [made]: 'good', [newer]: 'good', [torn]: 'torn', [old]: 'good', [future]: 'good' });

    // The clock was set back before the snapshot was made.
    await keepNewest(storage, join(folder, made));

    expect(kept()).toEqual([made, newer].toSorted());
  });

  it('stays one that could not be read in time', async () => {
    const [made = '', slow = ''] = named(now, now - 10);
    const storage = storageOf({ [made]: 'good', [slow]: 'slow' });

    await keepNewest(storage, join(folder, made));

    expect(kept()).toEqual([made, slow].toSorted());
  });

  it('stays the newest good one where there is no room, and nothing of others is touched', async () => {
    const [torn = '', good = '', old = ''] = named(now - 10, now - 20, now - 30);
    const others = { 'db-other-1.db': 'good', 'db-etcd-1.txt': 'good' } as const;
    const storage = storageOf({ [torn]: 'torn', [good]: 'good', [old]: 'good', ...others });

    await removeAllButNewest(storage);

    expect(kept()).toEqual([good, ...Object.keys(others)].toSorted());
  });

  it('go those that killed runs left, and it is said where even that is not room enough', async () => {
    const [good = ''] = named(now - 20);
    const storage = storageOf({ [good]: 'good', 'db-etcd.part.old': 'torn', 'db-etcd.part.new': 'torn' });
    utimesSync(join(folder, 'db-etcd.part.old'), now - 3, now - 3);
    utimesSync(join(folder, 'db-etcd.part.new'), now, now);
    mkdirSync(join(folder, 'lost+found'));

    await expect(makeRoom(storage, 2 ** 60)).rejects.toThrow(
      /needs [\d.]+ MiB, and [\d.]+ of [\d.]+ MiB are free in .*, where older snapshots were removed already/,
    );

    expect(kept()).toEqual([good, 'db-etcd.part.new', 'lost+found'].toSorted());
  });
});
