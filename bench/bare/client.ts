import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endChild, endWithThis } from '../child.ts';
import type { BenchStage } from '../stage.ts';

/** A bare client: a process that does only the minimum that a row requires. */
export interface BareClient extends AsyncDisposable {
  readonly pid: number;
  /** Sends a line to its standard input. */
  say(line: string): void;
  /** The lines that it prints after `ready`. */
  readonly lines: AsyncIterator<string, undefined>;
}

/**
 * Starts `bench/bare/<name>.ts` and waits until it prints `ready`. It finds the API server in `BARE_URL`, `BARE_CA` and
 * `BARE_TOKEN`.
 */
export async function startBare(
  { url, ca, token, bareNode }: BenchStage,
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<BareClient> {
  const child = spawn(bareNode, [join(import.meta.dirname, `${name}.ts`)], {
    env: { ...process.env, BARE_URL: url, BARE_CA: ca, BARE_TOKEN: token, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  endWithThis(child);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { value } = await lines.next();
  if (value !== 'ready') throw new Error(`bench/bare/${name}.ts did not become ready`);
  return {
    pid: child.pid ?? 0,
    say: (line) => void child.stdin.write(`${line}\n`),
    lines,
    [Symbol.asyncDispose]: async () => endChild(child, 'SIGKILL'),
  };
}
