import { join } from 'node:path';
import { startBare } from './bare/client.ts';
import { median, nowMs } from './figures.ts';
import { interleaved } from './interleave.ts';
import { openLineFile } from './line-file.ts';
import { startOperator } from './operator.ts';
import { writeShellHook } from './shell-hook.ts';
import type { BenchStage, Contender } from './stage.ts';

const TIME_LIMIT_MS = 120_000;

/** Hooks that are started together. */
export interface HookFleet {
  readonly hooksDir: string;
  readonly count: number;
  /** The collections they watch, as the limit lists them. */
  readonly paths: readonly string[];
}

/** Seconds from the start of the process until the last Synchronization began. */
export interface FleetStart {
  readonly hooklet: number;
  readonly limit: number;
  readonly peer?: number;
}

/** Writes a hook with one binding for each of `bindings`; each run records when it began. */
export function writeFleet(
  hooksDir: string,
  bindings: readonly Readonly<Record<string, unknown>>[],
  paths: readonly string[],
): HookFleet {
  for (const [index, binding] of bindings.entries()) {
    const path = join(hooksDir, `hook-${String(index).padStart(4, '0')}.sh`);
    writeShellHook(
      path,
      { kubernetes: [{ name: 'objects', executeHookOnEvent: [], ...binding }] },
      'echo "$began" >> "$BENCH_OUT"',
    );
  }
  return { hooksDir, count: bindings.length, paths };
}

/** Measures hooklet and a bare client in turn, and shell-operator once, because it is slow. */
export async function startFleet(stage: BenchStage, fleet: HookFleet, rounds: number): Promise<FleetStart> {
  const { hooklet, limit } = await interleaved(rounds, {
    hooklet: async () => startWith(stage, stage.hooklet, fleet),
    limit: async () => startBarely(stage, fleet),
  });
  const peer = stage.peer && (await startWith(stage, stage.peer, fleet));
  return { hooklet: median(hooklet), limit: median(limit), ...(peer !== undefined && { peer }) };
}

async function startWith(stage: BenchStage, contender: Contender, { hooksDir, count }: HookFleet): Promise<number> {
  using out = openLineFile(join(stage.folder, `fleet-${nowMs()}`));
  await using operator = await startOperator(stage, { hooksDir, contender, env: { BENCH_OUT: out.path } });
  return secondsSince(operator.startedAtMs, await out.reach(count, TIME_LIMIT_MS));
}

async function startBarely(stage: BenchStage, { hooksDir, count, paths }: HookFleet): Promise<number> {
  using out = openLineFile(join(stage.folder, `fleet-${nowMs()}`));
  const startedAtMs = nowMs();
  const env = { BENCH_OUT: out.path, BARE_HOOKS: hooksDir, BARE_PATHS: paths.join(' ') };
  await using _ = await startBare(stage, 'start-hooks', env);
  return secondsSince(startedAtMs, await out.reach(count, TIME_LIMIT_MS));
}

function secondsSince(startedAtMs: number, lines: readonly string[]): number {
  return Number(lines.at(-1)) - startedAtMs / 1000;
}
