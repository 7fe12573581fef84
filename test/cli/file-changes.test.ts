import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileChanges } from '../../src/cli/file-changes.ts';
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
    // Whatever preparing it was is over with this one.
    writeFileSync(path('prepared'), '');
    await changes.next();

    change();

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
