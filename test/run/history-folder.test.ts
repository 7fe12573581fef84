import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HistoryFolder } from '../../src/run/history-folder.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

let tmp: ReturnType<typeof temporaryFolder>;
let path: string;

beforeEach(() => {
  tmp = temporaryFolder();
  path = join(tmp.path, 'runs');
});
afterEach(() => tmp[Symbol.dispose]());

function line(id: string, hook = 'hook.sh', more: object = {}): string {
  const time = '2026-01-05T03:00:00.000Z';
  const record = { id, hook, binding: '', queue: 'main', reason: 'onStartup', attempt: 1, outcome: 'succeeded' };
  return `${JSON.stringify({ ...record, queued: time, started: time, waitedMs: 0, lines: 0, ...more })}\n`;
}

function opened(options = {}): HistoryFolder {
  const folder = new HistoryFolder({ path, ...options });
  folder.create();
  return folder;
}

async function idsIn(folder = opened(), runs = 20): Promise<readonly string[]> {
  return (await folder.read(runs)).map(({ record }) => record.id);
}

const first = (): string => join(path, 'runs-00000001.jsonl');

describe('the folder of the history', () => {
  it('has the records of earlier processes, the newest first, in files of this user alone', async () => {
    await opened().append(line('a') + line('b'));
    await opened().append(line('c'));

    expect(await idsIn()).toEqual(['c', 'b', 'a']);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(first()).mode & 0o777).toBe(0o600);
  });

  it('reads the last runs of each hook', async () => {
    await opened().append(line('1') + line('2') + line('other', 'other.sh') + line('3'));

    expect(await idsIn(opened(), 2)).toEqual(['3', 'other', '2']);
  });

  it('loses only the line that a crash cut, and begins a new one after it', async () => {
    await opened().append(line('a') + line('b'));
    truncateSync(first(), statSync(first()).size - 5);
    await opened().append(line('c'));

    expect(await idsIn()).toEqual(['c', 'a']);
  });

  it('leaves out lines that are no records, whatever is in them', async () => {
    await opened().append(line('a'));
    const wrong = ['{}', '[]', 'null', '"', '{"id":1}', line('x', 'h', { started: 'never' }).trim(), '\u0000', ''];
    appendFileSync(first(), wrong.map((text) => `${text}\n`).join(''));
    await opened().append(
      line('b', 'hook.sh', { objects: 'none', unknown: 1, log: [1, { stream: 'stdout', line: 'l' }] }),
    );

    const runs = await opened().read(20);
    expect(runs.map(({ record, log }) => [record.id, record.objects, log])).toEqual([
      ['b', [], [{ stream: 'stdout', line: 'l' }]],
      ['a', [], []],
    ]);
  });

  it('begins another file at its size, and keeps the 3 newest', async () => {
    const folder = opened({ fileBytes: 500, files: 3 });
    for (let index = 0; index < 20; index += 1) await folder.append(line(`run-${index}`));

    const names = readdirSync(path);
    expect(names).toHaveLength(3);
    for (const name of names) expect(statSync(join(path, name)).size).toBeLessThanOrEqual(500);
    expect(await idsIn(folder)).toEqual(['run-19', 'run-18', 'run-17', 'run-16', 'run-15', 'run-14']);
  });

  it('leaves alone what is in place of a file: a link, a pipe, a folder, a file with another name too', async () => {
    mkdirSync(path, { mode: 0o700 });
    const outside = join(tmp.path, 'outside');
    writeFileSync(outside, 'precious');
    symlinkSync(outside, first());
    execFileSync('mkfifo', [join(path, 'runs-00000002.jsonl')]);
    mkdirSync(join(path, 'runs-00000003.jsonl'));
    execFileSync('ln', [outside, join(path, 'runs-00000004.jsonl')]);
    for (const number of [1, 2, 3, 4]) {
      const folder = opened();
      await folder.append(line(`run-${number}`));
      expect(await idsIn(folder)).toContain(`run-${number}`);
    }

    expect(readFileSync(outside, 'utf8')).toBe('precious');
    expect(readdirSync(path)).toContain('runs-00000005.jsonl');
  });

  it('is created again when it was removed', async () => {
    const folder = opened();
    await folder.append(line('a'));
    rmSync(path, { recursive: true });
    await folder.append(line('b'));

    expect(await idsIn(folder)).toEqual(['b']);
  });

  it('fails while its parent is gone, and works when it is there again', async () => {
    path = join(tmp.path, 'volume', 'runs');
    const folder = opened();
    rmSync(join(tmp.path, 'volume'), { recursive: true });
    await expect(folder.append(line('a'))).rejects.toThrow('ENOENT');
    mkdirSync(join(tmp.path, 'volume'));
    await folder.append(line('b'));

    expect(await idsIn(folder)).toEqual(['b']);
  });

  it('is refused where others may write', () => {
    mkdirSync(path);
    chmodSync(path, 0o777);

    expect(() => opened()).toThrow('is not a folder that only its owner may write to');
    expect(existsSync(first())).toBe(false);
  });
});
