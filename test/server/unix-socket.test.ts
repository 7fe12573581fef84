import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { listenOnSocket, privatePrefix } from '../../src/server/unix-socket.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

function folder(): string {
  const made = temporaryFolder();
  onTestFinished(() => made[Symbol.dispose]());
  return made.path;
}

function server(): Server {
  const made = createServer((socket) => socket.end());
  onTestFinished(() => void made.close());
  return made;
}

describe('a socket file', () => {
  it('is for its user alone, in a folder that is made, and goes when it is removed', async () => {
    const path = join(folder(), 'run', 'hooklet.socket');

    const socket = await listenOnSocket(server(), path);

    expect(statSync(path).isSocket()).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, '..'))).toEqual(['hooklet.socket']);
    await socket.remove();
    expect(existsSync(path)).toBe(false);
  });

  it('of a process that is dead is replaced', async () => {
    const path = join(folder(), 'hooklet.socket');
    // Killed, so that its file remains.
    const code = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', code, path]);
    expect(existsSync(path)).toBe(true);

    const socket = await listenOnSocket(server(), path);

    await socket.remove();
  });

  it('takes along what a process left that was killed while it made one, but not for another file', async () => {
    const root = folder();
    const path = join(root, 'hooklet.socket');
    const [own, other] = [`${privatePrefix(path)}a1b2c3`, `${privatePrefix(join(root, 'other.socket'))}a1b2c3`];
    for (const name of [own, other]) mkdirSync(join(root, name));
    writeFileSync(join(root, own, 's'), '');

    await listenOnSocket(server(), path);

    expect(readdirSync(root).toSorted()).toEqual([other, 'hooklet.socket']);
  });

  it('of a living process is left alone', async () => {
    const path = join(folder(), 'hooklet.socket');
    await listenOnSocket(server(), path);

    const second = listenOnSocket(server(), path);

    await expect(second).rejects.toThrow(UsageError);
    await expect(second).rejects.toThrow(`another process listens on ${path}`);
    expect(existsSync(path)).toBe(true);
  });

  it('is not put in the place of a file that is none', async () => {
    const path = join(folder(), 'notes.txt');
    writeFileSync(path, 'mine');

    await expect(listenOnSocket(server(), path)).rejects.toThrow('exists and is not a socket');
  });

  it('that another process has put in its place is not removed', async () => {
    const path = join(folder(), 'hooklet.socket');
    const first = server();
    const socket = await listenOnSocket(first, path);
    await new Promise((resolve) => first.close(resolve));
    await listenOnSocket(server(), path);

    await socket.remove();

    expect(existsSync(path)).toBe(true);
  });

  it('with a path that is too long is refused with that reason', async () => {
    const path = join(folder(), 'x'.repeat(120), 'hooklet.socket');

    await expect(listenOnSocket(server(), path)).rejects.toThrow('too long for a socket');
  });

  it('leaves nothing behind where it cannot be made', async () => {
    const root = folder();
    mkdirSync(join(root, 'hooklet.socket'));

    await expect(listenOnSocket(server(), join(root, 'hooklet.socket'))).rejects.toThrow('is not a socket');
    expect(readdirSync(root)).toEqual(['hooklet.socket']);
  });
});
