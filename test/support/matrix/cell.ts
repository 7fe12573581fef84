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
  /** Time from the end of the fault until a change that was made after it is received; undefined when it never is. */
  readonly recoveredMs: number | undefined;
  /** How many connections were struck. */
  readonly strikes: number;
  readonly problems: readonly string[];
  readonly restarts: readonly string[];
}

/** All cells for a single struck connection, or for storms of one length. */
export function cellsOf(stormMs: number): readonly Cell[] {
  return PROTOCOLS.flatMap((protocol) =>
    WAYS.flatMap((way) =>
      STAGES.flatMap((stage) => CONNECTION_FAULTS.map((fault) => ({ protocol, way, stage, fault, stormMs }))),
    ),
  );
}

/** Limit from the end of a fault until hooks would receive changes again. */
const LIMIT_MS = 3000;
/** Limit when the connection stays open, so that its silence must be detected first. */
const SILENCE_LIMIT_MS = 5000;
/** HTTP/1.1 has no ping: a single watch that falls silent between two lines is reopened after 25 to 31 s. */
const UNPINGED_LIMIT_MS = 33_000;
const BETWEEN_LINES: ReadonlySet<Stage> = new Set<Stage>(['headers', 'idle']);
/** How long a cell that missed its limit is still observed, to distinguish deaf from late. */
const PATIENCE_MS = 10_000;
/** Limit for closing a healthy client. */
const END_LIMIT_MS = 2000;
/** An event may arrive before the response to its write. */
const AGREEMENT_MS = 2000;
/** Only a guard against hanging. */
const SETUP_MS = 60_000;

export function limitOf({ protocol, stage, fault, stormMs }: Cell): number {
  if (!staysOpen({ stage, fault, stormMs })) return LIMIT_MS;
  const isUnpinged = protocol === 'http/1.1' && fault === 'silence' && BETWEEN_LINES.has(stage);
  return isUnpinged ? UNPINGED_LIMIT_MS : SILENCE_LIMIT_MS;
}

/** Follows the world through a proxy, strikes it, and measures the recovery. */
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

/** A follower of the writer's objects that records what it receives. */
export interface Following {
  readonly disorders: readonly string[];
  /** Why the watch was reopened or the list repeated. */
  readonly restarts: readonly string[];
  /** The current state, as `name=value`, sorted. */
  states(): readonly string[];
  /** When it first received `value` or a later one; undefined when `signal` aborts first. */
  hears(value: number, signal: AbortSignal): Promise<number | undefined>;
  /** The writes that it should have received and did not. */
  missed(writes: readonly Write[]): readonly string[];
}

export interface Measuring {
  readonly cell: Cell;
  readonly writer: MatrixWriter;
}

/** Strikes, and measures the time until it follows again. */
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

/** The received state must be the state of some moment since `value` was written. */
async function differences(follower: Following, writer: MatrixWriter, value: number): Promise<readonly string[]> {
  const untilMs = performance.now() + AGREEMENT_MS;
  for (;;) {
    const received = follower.states().join(' ');
    if (writer.statesSince(value).has(received)) return [];
    if (performance.now() > untilMs)
      return [`it received ${received}, which was never the state since ${value} was written`];
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
