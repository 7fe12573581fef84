import type { StageTarget } from '../stages/connection.ts';
import { startStageProxy, type StageProxy } from '../stages/proxy.ts';
import { staysOpen, strike, type StageStrike } from '../stages/strike.ts';
import { CONNECTION_FAULTS, PROTOCOLS, STAGES, type Protocol, type Stage } from '../stages/stages.ts';
import { Follower } from './follower.ts';
import type { MatrixWriter, Write } from './writer.ts';

export const WAYS = ['direct', 'tunnel'] as const;

/** One fault at one stage of one kind of connection. */
export interface Cell extends StageStrike {
  readonly protocol: Protocol;
  readonly way: (typeof WAYS)[number];
}

/** What all cells have in common. */
export interface MatrixWorld {
  readonly target: StageTarget;
  readonly token: string;
  readonly namespace: string;
  readonly writer: MatrixWriter;
}

export interface CellResult {
  readonly cell: Cell;
  readonly limitMs: number;
  /** From the end of the fault until a change made after it was heard of; undefined where that did not happen. */
  readonly recoveredMs: number | undefined;
  /** How many connections were struck. */
  readonly strikes: number;
  readonly problems: readonly string[];
  readonly restarts: readonly string[];
}

/** All cells with one connection struck, or with storms of a length. */
export function cellsOf(stormMs: number): readonly Cell[] {
  return PROTOCOLS.flatMap((protocol) =>
    WAYS.flatMap((way) =>
      STAGES.flatMap((stage) => CONNECTION_FAULTS.map((fault) => ({ protocol, way, stage, fault, stormMs }))),
    ),
  );
}

/** From the end of a fault until hooks would hear of changes again. */
const LIMIT_MS = 3000;
/** Where the connection stays open: that nothing comes has to be noticed first. */
const SILENCE_LIMIT_MS = 5000;
/** Over HTTP/1.1 there is no ping: one watch that is silent alone between two lines is opened anew after 25 to 31 s. */
const UNPINGED_LIMIT_MS = 33_000;
const BETWEEN_LINES: ReadonlySet<Stage> = new Set<Stage>(['headers', 'idle']);
/** How long a cell that broke its limit is watched, to tell the deaf from the late. */
const PATIENCE_MS = 10_000;
/** For the end of a client that is well. */
const END_LIMIT_MS = 2000;
/** What was told may be ahead of the answer to the write. */
const AGREEMENT_MS = 2000;
/** A guard against hanging alone. */
const SETUP_MS = 60_000;

export function limitOf({ protocol, stage, fault, stormMs }: Cell): number {
  if (!staysOpen({ stage, fault, stormMs })) return LIMIT_MS;
  const isUnpinged = protocol === 'http/1.1' && fault === 'silence' && BETWEEN_LINES.has(stage);
  return isUnpinged ? UNPINGED_LIMIT_MS : SILENCE_LIMIT_MS;
}

/** Follows the world through a proxy, strikes, and measures. */
export async function runCell(world: MatrixWorld, cell: Cell, seed: number): Promise<CellResult> {
  const { target, writer } = world;
  const isTunnel = cell.way === 'tunnel';
  await using proxy = await startStageProxy({ target, protocol: cell.protocol, isTunnel, seed });
  const follower = new Follower({
    ...world,
    ca: proxy.ca,
    server: new URL(`https://127.0.0.1:${isTunnel ? 6443 : proxy.port}`),
    ...(isTunnel ? { proxy: new URL(`http://127.0.0.1:${proxy.port}`) } : {}),
  });
  try {
    const measured = await measure(follower, proxy, { cell, writer });
    const isEnded = await follower.end(END_LIMIT_MS);
    return isEnded ? measured : { ...measured, problems: [...measured.problems, 'its connections did not end'] };
  } finally {
    await follower.end(END_LIMIT_MS);
  }
}

/** What follows the objects of the writer, and keeps what it was told. */
export interface Following {
  readonly disorders: readonly string[];
  /** Why the watch was opened again or the list repeated. */
  readonly restarts: readonly string[];
  /** What there is, as `name=value`, sorted. */
  states(): readonly string[];
  /** When it first knew of `value` or a later one; undefined when that took until `signal` aborts. */
  hears(value: number, signal: AbortSignal): Promise<number | undefined>;
  /** The writes that it was not told of and should have been. */
  missed(writes: readonly Write[]): readonly string[];
}

export interface Measuring {
  readonly cell: Cell;
  readonly writer: MatrixWriter;
}

/** Strikes, and measures until it follows again. */
export async function measure(
  follower: Following,
  proxy: StageProxy,
  { cell, writer }: Measuring,
): Promise<CellResult> {
  if ((await follower.hears(1, AbortSignal.timeout(SETUP_MS))) === undefined) throw new Error('it never followed');
  await strike(proxy, cell, AbortSignal.timeout(SETUP_MS + cell.stormMs));
  const endedAtMs = performance.now();
  const limitMs = limitOf(cell);
  const { value, name } = await firstAfter(writer, endedAtMs);
  const heardAtMs = await follower.hears(value, AbortSignal.timeout(limitMs + PATIENCE_MS));
  const due = writer.writes.filter((write) => (write.value ?? 0) <= value);
  const problems = [...follower.disorders, ...follower.missed(due), ...(await differences(follower, writer, value))];
  return {
    cell,
    limitMs,
    recoveredMs: heardAtMs === undefined ? undefined : Math.round(heardAtMs - endedAtMs),
    strikes: proxy.strikes,
    problems: heardAtMs === undefined ? [`${name}=${value} was not heard of`, ...problems] : problems,
    restarts: follower.restarts,
  };
}

/** What was told must be how things were at some moment since `value` was written. */
async function differences(follower: Following, writer: MatrixWriter, value: number): Promise<readonly string[]> {
  const untilMs = performance.now() + AGREEMENT_MS;
  for (;;) {
    const told = follower.states().join(' ');
    if (writer.statesSince(value).has(told)) return [];
    if (performance.now() > untilMs) return [`it was told ${told}, which was never so since ${value} was written`];
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The first value that was written after a moment. */
async function firstAfter(writer: MatrixWriter, momentMs: number): Promise<Write & { readonly value: number }> {
  for (;;) {
    for (const write of writer.writes) {
      if (write.sentAtMs > momentMs && write.value !== undefined) return { ...write, value: write.value };
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
