import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askedSocket, controlSocketOf } from '../../src/cli/control/socket.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

function places(name: 'hooklet' | 'shell-operator') {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const peerSocket = join(folder.path, 'run', 'shell-operator', 'debug.socket');
  return { options: { debugUnixSocket: '', tmpDir: folder.path }, places: { name, peerSocket }, folder: folder.path };
}

describe('the control socket', () => {
  it('the socket is in the temporary folder unless it is named', () => {
    const { places: hooklet } = places('hooklet');
    expect(controlSocketOf({ debugUnixSocket: '', tmpDir: '/tmp/hooklet' }, hooklet)).toEqual({
      path: '/tmp/hooklet/hooklet.socket',
      isRequired: false,
    });
    expect(controlSocketOf({ debugUnixSocket: '/run/x.socket', tmpDir: '/tmp/hooklet' }, hooklet)).toEqual({
      path: '/run/x.socket',
      isRequired: true,
    });
  });

  it('is that of shell-operator for a program called so', () => {
    const { options, places: peer } = places('shell-operator');

    expect(controlSocketOf(options, peer)).toEqual({ path: peer.peerSocket, isRequired: false });
    expect(controlSocketOf({ ...options, debugUnixSocket: '/x' }, peer).path).toBe('/x');
  });

  it('is in the temporary folder where that of shell-operator cannot be made', () => {
    const { options, places: peer, folder } = places('shell-operator');
    writeFileSync(join(folder, 'run'), '');

    expect(controlSocketOf(options, peer).path).toBe(join(folder, 'hooklet.socket'));
  });

  it('a command asks the one that is there, whatever it was called', () => {
    const { options, places: hooklet, folder } = places('hooklet');
    const own = join(folder, 'hooklet.socket');

    expect(askedSocket(options, hooklet)).toBe(own);
    mkdirSync(join(folder, 'run', 'shell-operator'), { recursive: true });
    writeFileSync(hooklet.peerSocket, '');
    expect(askedSocket(options, hooklet)).toBe(hooklet.peerSocket);
    writeFileSync(own, '');
    expect(askedSocket(options, hooklet)).toBe(own);
    expect(askedSocket(options, { ...hooklet, name: 'shell-operator' })).toBe(hooklet.peerSocket);
    expect(askedSocket({ ...options, debugUnixSocket: '/x' }, hooklet)).toBe('/x');
  });
});
