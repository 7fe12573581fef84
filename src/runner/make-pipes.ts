import { spawn } from 'node:child_process';
import { eventually } from '../lib/deadline.ts';

/**
 * Creates named pipes that only this user may open; returns whether it succeeded. It runs `mkfifo`, because Node has no
 * call for it. Never rejects, and never waits longer than `limitMs`: on a hanging file system not even SIGKILL ends the
 * program.
 */
export async function makePipes(paths: readonly string[], limitMs: number): Promise<boolean> {
  try {
    const child = spawn('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' });
    const late = (): boolean => {
      child.kill('SIGKILL');
      // The program may never end; it must not keep this process alive.
      child.unref();
      return false;
    };
    return await eventually<boolean>({ limitMs, late }, ({ resolve }) => {
      child.on('error', () => resolve(false));
      child.once('exit', (code) => resolve(code === 0));
      return undefined;
    });
  } catch {
    // The limit of processes or descriptors is reached.
    return false;
  }
}
