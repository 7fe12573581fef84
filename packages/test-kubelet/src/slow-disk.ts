import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/** The disks of pods that are slow, by pod. */
export class SlowDisks {
  readonly #slow = new Map<string, SlowDisk>();

  /** What the processes of a pod write takes so much longer to reach the disk, until the returned function is called. */
  async slow(pod: string, delayMs: number, processes: readonly number[]): Promise<() => Promise<void>> {
    if (this.#slow.has(pod)) throw new Error(`the disk of pod ${pod} is slow already`);
    const disk: SlowDisk = { delayMs, end: new AbortController(), brakes: new Set() };
    this.#slow.set(pod, disk);
    const release = async (): Promise<void> => {
      this.#slow.delete(pod);
      disk.end.abort();
      await Promise.all(disk.brakes);
    };
    try {
      for (const pid of processes) await brake(disk, pid);
      return release;
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Slows what was started in a pod while its disk is slow. */
  async started(pod: string, pid: number): Promise<void> {
    const disk = this.#slow.get(pod);
    if (disk !== undefined) await brake(disk, pid);
  }
}

interface SlowDisk {
  readonly delayMs: number;
  readonly end: AbortController;
  /** What slows its processes; each ends with them. */
  readonly brakes: Set<Promise<unknown>>;
}

/** Holds each fsync and fdatasync of a process, and of those it starts. Resolves when it does so. */
async function brake({ delayMs, end, brakes }: SlowDisk, pid: number): Promise<void> {
  const delay = `inject=fsync,fdatasync:delay_enter=${delayMs * 1000}`;
  const words = ['strace', '-f', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync', '-e', delay, '-p', String(pid)];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit').finally(() => brakes.delete(exited));
  brakes.add(exited);
  // It lets go of them when it is told to end.
  end.signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      if (/^strace: Process \d+ attached/.test(line)) resolve();
    });
    child.once('error', reject);
    child.once('close', () => {
      reject(
        new Error(
          `cannot slow process ${pid}: ${said.join('; ')}; it needs root, ptrace and the Debian package strace`,
        ),
      );
    });
  }).catch(async (error: unknown) => {
    // Who has ended meanwhile has no disk to be slow.
    if (!end.signal.aborted && (await isAlive(pid))) throw error;
  });
}

async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return status !== '' && !/^State:\s+[ZX]/m.test(status);
}
