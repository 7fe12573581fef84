import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { saveIn } from '../../examples/300-etcd/hooks/lib/save.ts';

const DAY_MS = 24 * 3_600_000;
const REVISION = 7;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hooklet-etcd-save-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, ageDays: number): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'good');
  const at = new Date(Date.now() - ageDays * DAY_MS);
  utimesSync(file, at, at);
}

function files(): readonly string[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return found.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).toSorted();
}

/** Saves the cluster `etcd` of the namespace `db`. */
async function save({ namespace = 'db', name = 'etcd', databaseBytes = 1, nowMs = Date.now() } = {}): Promise<void> {
  const etcd = {
    saveSnapshot: async (_: string, file: string): Promise<void> => writeFileSync(file, 'good'),
    snapshotRevision: async (file: string): Promise<number> => {
      if (readFileSync(file, 'utf8') !== 'good') throw new Error('not whole');
      return REVISION;
    },
    hashes: async () => [],
  };
  const source = { endpoint: 'http://etcd-0:2379', databaseBytes, revision: REVISION };
  await saveIn({ folder, namespace, name }, { etcd, nowMs })(source);
}

describe('etcd: the snapshot before a repair', () => {
  it('takes the place of the one before, and of what killed runs left', async () => {
    write('db/db-etcd-1700000000.db', 1);
    write('db/db-etcd.part.killed', 1);
    await save();

    expect(files()).toEqual([expect.stringMatching(/^db\/db-etcd-\d{10}\.db$/)]);
    expect(files()).not.toContain('db/db-etcd-1700000000.db');
  });

  it('leaves those of other clusters while there is room, whatever their names and ages are', async () => {
    const others = ['a/a-b-c-1700000000.db', 'db/db-etcd-2-1700000000.db', 'gone.etcd.db'];
    for (const other of others) write(other, 300);
    await save();
    await save({ namespace: 'a-b', name: 'c' });

    expect(files()).toEqual(expect.arrayContaining(others));
    expect(files()).toHaveLength(5);
  });

  it('where room lacks, those of other clusters go that are older than a week, and its own newest stays', async () => {
    const kept = ['db/db-etcd-1700000000.db', 'young/young-etcd-1700000000.db'];
    write('db/db-etcd-1700000000.db', 300);
    write('young/young-etcd-1700000000.db', 6);
    write('old/old-etcd-1700000000.db', 8);
    write('gone.etcd.db.part', 300);
    await expect(save({ databaseBytes: Number.MAX_SAFE_INTEGER })).rejects.toThrow(/a snapshot needs .* MiB/);

    expect(files()).toEqual(kept);
  });
});
