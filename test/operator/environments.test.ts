import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Environments } from '../../src/operator/page/environments.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';

function rig(folder: string | undefined) {
  const open = (env: Readonly<Record<string, string>>, nowMs: number, hookEnv = {}) =>
    new Environments({ env, hookEnv, folder, now: () => nowMs, log: recordingLogger() });
  return { open };
}

function folderForTest(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return folder.path;
}

const HASH = expect.stringMatching(/^[0-9a-f]{8}$/);

describe('the environments of hooks', () => {
  it('are compared over a restart by names and hashes; values are nowhere', () => {
    const folder = folderForTest();
    const { open } = rig(folder);
    open({ SAME: 'a', TOKEN: 'geheim-1', constructor: 'x' }, 1000);
    const { change } = open({ SAME: 'a', TOKEN: 'geheim-2' }, 2000, { NEW: 'z' });

    expect(change(1500, 2500)).toEqual({
      same: 1,
      changes: [
        { name: 'NEW', after: HASH },
        { name: 'TOKEN', before: HASH, after: HASH },
        { name: 'constructor', before: HASH },
      ],
    });
    expect(change(2500, 2600)).toEqual({ same: 3, changes: [] });
    expect(change(999, 2500)).toBeUndefined();
    const file = join(folder, 'environments.json');
    expect(readdirSync(folder)).toEqual(['environments.json']);
    expect(readFileSync(file, 'utf8')).not.toContain('geheim');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('have other hashes in another folder, and for the same value under another name', () => {
    const hashes = (): readonly (string | undefined)[] => {
      const { open } = rig(folderForTest());
      open({}, 1);
      return (
        open({ A: 'secret', B: 'secret' }, 2)
          .change(1, 2)
          ?.changes.map(({ after }) => after) ?? []
      );
    };
    const [first, second] = [hashes(), hashes()];
    expect(first).not.toEqual(second);
    expect(new Set(first).size).toBe(2);
  });

  it('are those of this process alone without a folder, and of the last 20 with one', () => {
    expect(rig(undefined).open({ A: '1' }, 1000).change(999, 1001)).toBeUndefined();

    const { open } = rig(folderForTest());
    for (let start = 1; start <= 24; start += 1) open({ A: String(start) }, start);
    const { change } = open({ A: '25' }, 25);
    expect(change(5, 25)).toBeUndefined();
    expect(change(6, 25)?.changes).toHaveLength(1);
  });

  it.each(['', '{', '7', '{"key":"x","known":[]}', `{"key":"${'0'.repeat(64)}","known":[7,{"fromMs":1,"hashes":7}]}`])(
    'begin anew where the file is %j',
    (text) => {
      const folder = folderForTest();
      writeFileSync(join(folder, 'environments.json'), text);
      const { open } = rig(folder);

      expect(open({ A: '1' }, 1000).change(1, 1000)).toBeUndefined();
      expect(open({ A: '2' }, 2000).change(1000, 2000)?.changes).toHaveLength(1);
    },
  );

  it('are not read through a link', () => {
    const folder = folderForTest();
    const outside = join(folder, 'outside.json');
    writeFileSync(outside, '{}');
    symlinkSync(outside, join(folder, 'environments.json'));

    expect(rig(folder).open({ A: '1' }, 1000).change(1000, 1001)).toEqual({ same: 1, changes: [] });
    expect(readFileSync(outside, 'utf8')).toBe('{}');
  });
});
