import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/** The slow disks, by pod. */
export class SlowDisks {
  readonly #slow = new Map<string, SlowDisk>();

  /** Delays each fsync and fdatasync of a pod's processes until the returned function is called. */
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

  /** Slows a process that was started in a pod, if the pod's disk is slow. */
  async started(pod: string, pid: number): Promise<void> {
    const disk = this.#slow.get(pod);
    if (disk !== undefined) await brake(disk, pid);
  }
}

interface SlowDisk {
  readonly delayMs: number;
  readonly end: AbortController;
  /** The strace processes that slow the pod's processes; each ends with its process. */
  readonly brakes: Set<Promise<unknown>>;
}

/** Delays each fsync and fdatasync of a process and of the processes that it starts. Resolves when it is in effect. */
async function brake({ delayMs, end, brakes }: SlowDisk, pid: number): Promise<void> {
  const delay = `inject=fsync,fdatasync:delay_enter=${delayMs * 1000}`;
  const words = ['strace', '-f', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync', '-e', delay, '-p', String(pid)];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit').finally(() => brakes.delete(exited));
  brakes.add(exited);
  // On SIGTERM, strace detaches from the processes.
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
    // A process that has ended in the meantime cannot be slowed, and need not be.
    if (!end.signal.aborted && (await isAlive(pid))) throw error;
  });
}

async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return status !== '' && !/^State:\s+[ZX]/m.test(status);
}
