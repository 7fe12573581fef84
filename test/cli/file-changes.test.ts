import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileChanges } from '../../src/cli/dev/file-changes.ts';
import { UsageError } from '../../src/errors.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

let folder: ReturnType<typeof temporaryFolder>;
let controller: AbortController;
let changes: AsyncIterator<void>;
const path = (name: string) => join(folder.path, name);

beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(path('known'));
  controller = new AbortController();
  changes = fileChanges(folder.path, controller.signal)[Symbol.asyncIterator]();
});

afterEach(async () => {
  controller.abort();
  await changes.next();
  folder[Symbol.dispose]();
});

describe('changes of files', () => {
  it('are seen from the moment of the call on, before anybody waits for them', async () => {
    writeFileSync(path('early'), '');

    expect(await changes.next()).toEqual({ done: false, value: undefined });
  });

  it.each<[string, () => void, () => void]>([
    ['a file that is edited', () => writeFileSync(path('a'), '1'), () => writeFileSync(path('a'), '2')],
    ['a file in a folder below', () => {}, () => writeFileSync(path('known/a'), '')],
    ['a file that replaces another', () => writeFileSync(path('a'), '1'), () => replace('a')],
    ['a file that is removed', () => writeFileSync(path('a'), '1'), () => rmSync(path('a'))],
    ['a folder that is new', () => {}, () => mkdirSync(path('new'))],
    ['a file in a folder that is new', () => mkdirSync(path('new')), () => writeFileSync(path('new/a'), '')],
  ])('are %s', async (_, prepare, change) => {
    prepare();
    // After this change, those of the preparation have all been reported.
    writeFileSync(path('prepared'), '');
    await changes.next();

    change();

    expect(await changes.next()).toEqual({ done: false, value: undefined });
  });

  it.each<[string, () => void]>([
    ['by sed -i', () => sed('a')],
    ['in place', () => appendFileSync(path('a'), 'more')],
    ['by a file renamed onto it, as editors save', () => replace('a')],
    ['by a backup of the old one first, as vim does', () => backUp('a')],
    ['by its removal and a new one, as git checkout does', () => recreate('a')],
    ['in its permissions', () => chmodSync(path('a'), statSync(path('a')).mode ^ 0o100)],
    ['by a rename to and fro', () => rename('a')],
  ])('are seen each of 5 times, when a file changes %s, whatever replaced it before', async (_, change) => {
    writeFileSync(path('a'), 'first');
    await changes.next();

    for (const before of [change, replace, recreate, sed, backUp]) {
      before('a');
      await changes.next();
      change();

      expect(await changes.next()).toEqual({ done: false, value: undefined });
    }
  });

  it.each<[string, () => void]>([
    ['a folder that was renamed and its name taken by another', () => renameFolder('known')],
    ['a folder that was removed and made again', () => recreateFolder('known')],
    ['a folder that was moved in', () => moveIn('known')],
  ])('are a file in %s', async (_, prepare) => {
    writeFileSync(path('known/a'), '1');
    await changes.next();
    prepare();
    await changes.next();

    writeFileSync(path('known/a'), '2');

    expect(await changes.next()).toEqual({ done: false, value: undefined });
  });

  it('go on after the watched folder itself was removed and made again', async () => {
    writeFileSync(path('a'), '1');
    await changes.next();
    rmSync(folder.path, { recursive: true });
    await changes.next();
    mkdirSync(folder.path);
    await changes.next();

    writeFileSync(path('a'), '2');

    expect(await changes.next()).toEqual({ done: false, value: undefined });
  });

  it('are those of a file behind a link', async () => {
    using elsewhere = temporaryFolder();
    const target = join(elsewhere.path, 'target');
    writeFileSync(target, '1');
    symlinkSync(target, path('link'));
    await changes.next();

    writeFileSync(target, '2');

    expect(await changes.next()).toEqual({ done: false, value: undefined });
  });

  it('end when they are no longer wanted', async () => {
    const waiting = changes.next();

    controller.abort();

    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it('of a folder that is not there are a usage error', async () => {
    const absent = fileChanges(path('absent'), controller.signal)[Symbol.asyncIterator]();

    await expect(absent.next()).rejects.toThrow(UsageError);
  });
});

function replace(name: string): void {
  writeFileSync(path(`.${name}.new`), 'other');
  renameSync(path(`.${name}.new`), path(name));
}

function sed(name: string): void {
  execFileSync('sed', ['-i', 's/^/x/', path(name)]);
}

function backUp(name: string): void {
  const text = readFileSync(path(name));
  renameSync(path(name), path(`${name}~`));
  writeFileSync(path(name), text);
  rmSync(path(`${name}~`));
}

function recreate(name: string): void {
  const text = readFileSync(path(name));
  rmSync(path(name));
  writeFileSync(path(name), text);
}

function rename(name: string): void {
  renameSync(path(name), path(`${name}.old`));
  renameSync(path(`${name}.old`), path(name));
}

function renameFolder(name: string): void {
  renameSync(path(name), path(`${name}-old`));
  mkdirSync(path(name));
}

function recreateFolder(name: string): void {
  rmSync(path(name), { recursive: true });
  mkdirSync(path(name));
}

function moveIn(name: string): void {
  mkdirSync(path('.hidden/inside'), { recursive: true });
  rmSync(path(name), { recursive: true });
  renameSync(path('.hidden/inside'), path(name));
}
