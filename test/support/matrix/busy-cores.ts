import { spawn } from 'node:child_process';

const SPIN =
  'process.stdin.on("end", () => process.exit()).resume(); const spin = () => { const end = Date.now() + 20; while (Date.now() < end); setImmediate(spin); }; spin();';

/**
 * Keeps this many cores busy. The processes end with this one, however it ends, because their standard input closes.
 */
export function keepCoresBusy(cores: number): AsyncDisposable {
  const children = Array.from({ length: cores }, () =>
    spawn(process.execPath, ['-e', SPIN], { stdio: ['pipe', 'ignore', 'ignore'] }),
  );
  return {
    async [Symbol.asyncDispose]() {
      const ended = children.map(async (child) => new Promise((resolve) => child.once('exit', resolve)));
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(ended);
    },
  };
}
