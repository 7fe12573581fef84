import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'vitest';
import { until } from '../../support/operator-rig.ts';

/** A program that is making a dump. */
export interface Dumper {
  /** Kills only this program, as the kernel does when memory runs out. */
  kill(): void;
  /** Kills it together with the hook and everything that the hook has started. */
  killHook(): void;
}

// A pipe holds 64 KiB; the last piece may be held back.
const SOME_BYTES = 32_768;
const LIMIT_MS = 300_000;

/** Waits for a program that writes a dump to the folder and has written a part of it. */
export async function dumperIn(folder: string, program: string): Promise<Dumper> {
  let pid = 0;
  let group = 0;
  await until(() => {
    pid = processes().find((one) => isDumper(one, folder, program)) ?? 0;
    expect(written(pid)).toBeGreaterThanOrEqual(SOME_BYTES);
    group = groupOf(pid);
  }, LIMIT_MS);
  return {
    kill: () => void process.kill(pid, 'SIGKILL'),
    killHook: () => {
      try {
        process.kill(-group, 'SIGKILL');
      } catch {
        // When the operator has died, its spawner kills the hook too, and may be faster.
      }
    },
  };
}

function processes(): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid));
}

function isDumper(pid: number, folder: string, program: string): boolean {
  const [name = '', ...args] = readOf(pid, 'cmdline').split('\0');
  return basename(name) === program && args.some((word) => word.includes(`${folder}/`));
}

function written(pid: number): number {
  return Number(/^wchar: (\d+)$/m.exec(readOf(pid, 'io'))?.[1]);
}

/** The third field after the name, which may contain spaces. */
function groupOf(pid: number): number {
  const [, , group] = readOf(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
  const id = Number(group);
  if (!Number.isInteger(id) || id <= 1) throw new Error(`process ${pid} has the group ${group}`);
  return id;
}

function readOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // The process has ended in the meantime.
    return '';
  }
}
