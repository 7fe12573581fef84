import { spawn } from 'node:child_process';
import { eventually } from '../lib/deadline.ts';

/**
 * Makes named pipes that only this user may open; whether it did. Node has no call for it. Never rejects, and never waits
 * longer than `limitMs`: on a file system that hangs not even SIGKILL ends the program.
 */
export async function makePipes(paths: readonly string[], limitMs: number): Promise<boolean> {
  try {
    const child = spawn('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' });
    const late = (): boolean => {
      child.kill('SIGKILL');
      // Whatever becomes of it, nobody waits for it.
      child.unref();
      return false;
    };
    return await eventually<boolean>({ limitMs, late }, ({ resolve }) => {
      child.on('error', () => resolve(false));
      child.once('exit', (code) => resolve(code === 0));
      return undefined;
    });
  } catch {
    // No more processes or descriptors are to be had.
    return false;
  }
}
