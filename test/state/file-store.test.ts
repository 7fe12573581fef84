import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FileStore } from '../../src/state/file-store.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';

function storeRig() {
  const tmp = temporaryFolder();
  onTestFinished(() => tmp[Symbol.dispose]());
  const path = join(tmp.path, 'state.json');
  const log = recordingLogger();
  return {
    folder: tmp.path,
    path,
    log,
    open: (at = path) => new FileStore({ path: at, what: 'test state', option: '--state', log }),
  };
}

const changes = (texts: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(texts));

describe('FileStore', () => {
  it('is empty without a file, and reads back what was written', async () => {
    const { path, open } = storeRig();
    const store = open();

    expect(await store.read()).toEqual({ type: 'read', texts: new Map() });
    expect(existsSync(path)).toBe(false);
    expect(await store.write(changes({ a: '{"x":1}' }))).toEqual({ type: 'written' });
    expect(await store.write(changes({ b: 'no JSON {' }))).toEqual({ type: 'written' });

    expect(await open().read()).toEqual({ type: 'read', texts: changes({ a: '{"x":1}', b: 'no JSON {' }) });
  });

  it('is a file that a person can read, and only its owner may', async () => {
    const { path, folder, open } = storeRig();
    const store = open();
    await store.read();
    await store.write(changes({ a: '{"missed":1}' }));

    expect(readFileSync(path, 'utf8')).toBe('{\n  "a": {\n    "missed": 1\n  }\n}\n');
    expect(statSync(path).mode % 0o1000).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['state.json']);
  });

  it('keeps the old file when the new one cannot be written', async () => {
    const { path, open } = storeRig();
    const store = open();
    await store.read();
    await store.write(changes({ a: '1' }));
    mkdirSync(`${path}.tmp`);

    expect(await store.write(changes({ a: '2' }))).toMatchObject({ type: 'refused' });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ a: 1 });
  });

  it.each(['{"a": ', '[]', '"text"'])(
    'sets aside a file that is not a JSON object, and logs that: %s',
    async (content) => {
      const { path, open, log } = storeRig();
      writeFileSync(path, content);

      expect(await open().read()).toEqual({ type: 'read', texts: new Map() });
      expect(readFileSync(`${path}.corrupt`, 'utf8')).toBe(content);
      expect(log.lines).toMatchObject([
        {
          level: 'warn',
          message: 'test state is not a JSON object, starting with an empty one',
          fields: { file: path, keptAs: `${path}.corrupt`, content },
        },
      ]);
    },
  );

  it('takes an empty file for an empty state', async () => {
    const { path, open } = storeRig();
    writeFileSync(path, '');

    expect(await open().read()).toEqual({ type: 'read', texts: new Map() });
  });

  it('is refused for a folder that does not exist, with advice', async () => {
    const { folder, open } = storeRig();
    const store = open(join(folder, 'gone', 'state.json'));
    await store.read();

    expect(await store.write(changes({ a: '1' }))).toMatchObject({
      type: 'refused',
      advice: `a folder ${join(folder, 'gone')} that can be written to, or another place with --state`,
    });
  });

  it('is refused a folder as its file', async () => {
    const { folder, open } = storeRig();

    expect(await open(folder).read()).toMatchObject({
      type: 'refused',
      advice: 'a regular file of at most 67108864 bytes, or another place with --state',
    });
  });

  it('is refused a pipe as its file, and as the file beside it, without waiting for its other end', async () => {
    const { path, open } = storeRig();
    execFileSync('mkfifo', [path]);
    expect(await open().read()).toMatchObject({
      type: 'refused',
      advice: 'a regular file of at most 67108864 bytes, or another place with --state',
    });
    rmSync(path);
    const store = open();
    await store.read();
    execFileSync('mkfifo', [`${path}.tmp`]);

    expect(await store.write(changes({ a: '1' }))).toMatchObject({ type: 'refused' });
  });

  it.each([
    ['is there', '{}'],
    ['is not there yet', undefined],
  ])('writes the file that a link points to, which %s, and leaves the link', async (_, before) => {
    const { path, folder, open } = storeRig();
    mkdirSync(join(folder, 'volume'));
    if (before !== undefined) writeFileSync(join(folder, 'volume', 'real.json'), before);
    symlinkSync(join('volume', 'real.json'), path);
    const store = open();
    await store.read();

    await store.write(changes({ a: '1' }));

    expect(JSON.parse(readFileSync(join(folder, 'volume', 'real.json'), 'utf8'))).toEqual({ a: 1 });
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });
});
