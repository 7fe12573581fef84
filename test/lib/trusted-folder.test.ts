import { chmodSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeDistrust, makeTrustedFolder } from '../../src/lib/trusted-folder.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

const identity = { uid: 1000, gids: [1000, 2000] };

describe('what is not safe from other users', () => {
  it.each([
    ['our own', { uid: 1000, gid: 1000, mode: 0o755 }],
    ['our own, open to our group', { uid: 1000, gid: 2000, mode: 0o2775 }],
    ["root's", { uid: 0, gid: 0, mode: 0o755 }],
    ["root's, open to all with the sticky bit, as /tmp", { uid: 0, gid: 0, mode: 0o1777 }],
  ])('is not a folder that is %s', (_what, owned) => {
    expect(describeDistrust(owned, { identity, isMount: false })).toBeUndefined();
  });

  it.each([
    ['belongs to user 1001, not to root or to user 1000, who runs hooklet', { uid: 1001, gid: 1000, mode: 0o755 }],
    ['belongs to user 1001, not to root or to user 1000, who runs hooklet', { uid: 1001, gid: 0, mode: 0o1777 }],
    ['can be written by other users and has no sticky bit (mode 0777)', { uid: 0, gid: 0, mode: 0o777 }],
    ['can be written by other users and has no sticky bit (mode 0702)', { uid: 1000, gid: 1000, mode: 0o702 }],
    ['can be written by other users and has no sticky bit (mode 2775)', { uid: 0, gid: 50, mode: 0o2775 }],
  ])('%s', (reason, owned) => {
    expect(describeDistrust(owned, { identity, isMount: false })).toBe(reason);
  });

  it('is not a volume of root that is open to all in its container, as an emptyDir is', () => {
    expect(describeDistrust({ uid: 0, gid: 0, mode: 0o777 }, { identity, isMount: true })).toBeUndefined();
    expect(describeDistrust({ uid: 1001, gid: 0, mode: 0o777 }, { identity, isMount: true })).toBeDefined();
  });
});

describe('a trusted folder', () => {
  it('is made with its parents, and named without links', () => {
    using tmp = temporaryFolder();
    mkdirSync(join(tmp.path, 'real'));
    symlinkSync('real', join(tmp.path, 'link'));

    expect(makeTrustedFolder(join(tmp.path, 'link', 'a', 'b'))).toBe(join(tmp.path, 'real', 'a', 'b'));
  });

  it.each<[level: string, path: (folder: string) => string]>([
    ['itself', (folder) => folder],
    ['above it', (folder) => join(folder, 'a', 'b')],
    ['behind a link', (folder) => (symlinkSync(folder, `${folder}-link`), join(`${folder}-link`, 'a'))],
  ])('is refused where others can write without the sticky bit: %s', (_level, pathOf) => {
    using tmp = temporaryFolder();
    const open = join(tmp.path, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    const path = pathOf(open);

    expect(() => makeTrustedFolder(path)).toThrow(
      `EACCES: ${open} can be written by other users and has no sticky bit (mode 0777)`,
    );
    chmodSync(open, 0o1777);
    expect(() => makeTrustedFolder(path)).not.toThrow();
  });

  it('is refused where a link or a folder belongs to somebody else', () => {
    using tmp = temporaryFolder();
    mkdirSync(join(tmp.path, 'folder'));
    symlinkSync('folder', join(tmp.path, 'link'));
    const uid = process.geteuid?.() ?? 0;
    // Root gives them away; for any other user, they are those of somebody else to the next one.
    const identity = { uid: uid === 0 ? 0 : uid + 1, gids: [] };
    if (uid === 0) for (const name of ['folder', 'link']) lchownSync(join(tmp.path, name), 1001, 1001);

    for (const name of ['folder', 'link']) {
      expect(() => makeTrustedFolder(join(tmp.path, name), identity)).toThrow(/belongs to user \d+, not to root/);
    }
  });

  it('is no file, nor a circle of links', () => {
    using tmp = temporaryFolder();
    writeFileSync(join(tmp.path, 'file'), '');
    symlinkSync('circle', join(tmp.path, 'circle'));

    expect(() => makeTrustedFolder(join(tmp.path, 'file', 'a'))).toThrow('ENOTDIR');
    expect(() => makeTrustedFolder(join(tmp.path, 'circle'))).toThrow('ELOOP');
  });
});
