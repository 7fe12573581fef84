import { FAULT_NAMES, SILENCE_LIMIT_MS, type FaultName, type FaultWindow } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Footprint } from './operator-process.ts';
import type { Write } from './writers.ts';

/** Delays in milliseconds. */
export interface Delays {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface FaultFigures {
  readonly fault: FaultName;
  readonly times: number;
  /** The longest wait of hooks after the end of the fault, or after the begin of a `halfOpen`. */
  readonly recoveryMaxMs: number;
  /** The variant of that fault. */
  readonly slowest: string;
  /** The faults after which hooks waited longer than promised. */
  readonly late: readonly string[];
}

/** The results of a soak. */
export interface SoakReport {
  readonly seed: number;
  readonly minutes: number;
  readonly audits: number;
  readonly written: number;
  readonly unanswered: number;
  readonly seen: number;
  readonly runs: number;
  readonly missed: number;
  readonly outOfOrder: number;
  readonly duplicated: number;
  readonly repeated: number;
  readonly late: number;
  readonly versionsSeen: number;
  readonly delayWithoutFault: Delays;
  readonly delayWithFault: Delays;
  /** The slowest of those without a fault. */
  readonly slowest: readonly Seen[];
  readonly faults: readonly FaultFigures[];
  readonly starts: number;
  readonly crashes: number;
  readonly footprints: { readonly first?: Footprint | undefined; readonly last?: Footprint | undefined };
  readonly problems: readonly string[];
}

/** The data that a soak collects. */
export interface SoakRecords {
  readonly seed: number;
  readonly minutes: number;
  readonly audits: number;
  readonly missed: number;
  readonly problems: readonly string[];
  readonly writes: readonly Write[];
  readonly unanswered: number;
  readonly ledger: Ledger;
  readonly faults: readonly FaultWindow[];
  readonly operator: {
    readonly footprints: readonly Footprint[];
    readonly generation: number;
    readonly crashes: number;
  };
}

/** Time after a fault that counts as part of it. */
const AFTERMATH_MS = 3000;
/** Writes this soon after a fault may still be delayed by it. */
const WAKE_MS = 1000;
const SLOWEST = 20;
/** A process has its size when all is loaded and listed. */
const GROWN_UP_MS = 60_000;

export function summarize(records: SoakRecords): SoakReport {
  const { ledger, faults, operator, writes, problems, ...given } = records;
  const seen = writes.flatMap((write) => {
    const seenAtMs = ledger.firstSeenAtMs(write.hook, write.key);
    return seenAtMs === undefined ? [] : [{ hook: write.hook, sentAtMs: write.sentAtMs, seenAtMs }];
  });
  const isInFault = ({ sentAtMs, seenAtMs }: Seen): boolean =>
    faults.some((fault) => sentAtMs <= lastsUntilMs(fault) + AFTERMATH_MS && seenAtMs >= fault.startMs);
  const calm = seen.filter((one) => !isInFault(one));
  return {
    ...given,
    written: writes.length,
    seen: ledger.events,
    runs: ledger.runs,
    outOfOrder: ledger.outOfOrder,
    duplicated: ledger.duplicated,
    repeated: ledger.repeated,
    late: ledger.late,
    versionsSeen: seen.length,
    delayWithoutFault: delaysOf(calm),
    delayWithFault: delaysOf(seen.filter(isInFault)),
    slowest: calm.toSorted((a, b) => b.seenAtMs - b.sentAtMs - (a.seenAtMs - a.sentAtMs)).slice(0, SLOWEST),
    faults: FAULT_NAMES.map((name) => figuresOf(name, faults, seen)),
    starts: operator.generation,
    crashes: operator.crashes,
    footprints: footprintsOf(operator.footprints),
    problems: [...problems, ...ledger.problems],
  };
}

/** Silence lasts until it is noticed. */
function lastsUntilMs({ endMs, limitMs }: FaultWindow): number {
  return endMs + (limitMs === SILENCE_LIMIT_MS ? limitMs : 0);
}

/** A write that a hook saw. */
export interface Seen {
  readonly hook: string;
  readonly sentAtMs: number;
  readonly seenAtMs: number;
}

function delaysOf(seen: readonly Seen[]): Delays {
  const delays = seen.map(({ sentAtMs, seenAtMs }) => seenAtMs - sentAtMs).toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? 0);
  return { count: delays.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

function figuresOf(fault: FaultName, all: readonly FaultWindow[], seen: readonly Seen[]): FaultFigures {
  const windows = all.filter(({ name }) => name === fault);
  const recoveries = windows
    .map((window) => ({ ...window, recoveryMs: recoveryMsOf(window, seen) }))
    .toSorted((a, b) => b.recoveryMs - a.recoveryMs);
  return {
    fault,
    times: windows.length,
    recoveryMaxMs: recoveries[0]?.recoveryMs ?? 0,
    slowest: recoveries[0]?.detail ?? '',
    late: recoveries
      .filter(({ recoveryMs, limitMs }) => recoveryMs > limitMs)
      .map(({ name, detail, recoveryMs, limitMs }) => `${name} (${detail}): ${recoveryMs} ms, promised ${limitMs}`),
  };
}

function recoveryMsOf({ startMs, endMs }: FaultWindow, seen: readonly Seen[]): number {
  const waits = seen
    .filter(({ sentAtMs, seenAtMs }) => sentAtMs <= endMs + WAKE_MS && seenAtMs >= startMs)
    .map(({ sentAtMs, seenAtMs }) => seenAtMs - Math.max(endMs, sentAtMs));
  return Math.round(waits.reduce((longest, wait) => Math.max(longest, wait), 0));
}

/** The last process when it was a minute old, and at the end. */
function footprintsOf(footprints: readonly Footprint[]): SoakReport['footprints'] {
  const last = footprints.at(-1);
  if (last === undefined) return {};
  const startedAtMs = last.atMs - last.ageMs;
  const own = footprints.filter(({ atMs, ageMs }) => Math.abs(atMs - ageMs - startedAtMs) < 1000);
  return { first: own.find(({ ageMs }) => ageMs >= GROWN_UP_MS) ?? own[0], last };
}

/** The report for a terminal. */
export function describeReport(report: SoakReport): string {
  const { delayWithoutFault: calm, delayWithFault: struck, footprints } = report;
  const delays = ({ count, p50, p99, max }: Delays): string => `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms (${count})`;
  const rows: readonly (readonly [string, string | number])[] = [
    ['seed', report.seed],
    ['minutes', report.minutes],
    ['audits', report.audits],
    ['events written', report.written],
    ['requests of writers without a good answer', report.unanswered],
    ['events seen', `${report.seen} in ${report.runs} runs`],
    ['missed', report.missed],
    ['out of order', report.outOfOrder],
    ['duplicated', report.duplicated],
    ['given again by Synchronizations', report.repeated],
    ['late runs of a killed operator', report.late],
    ['versions seen of versions written', `${report.versionsSeen} of ${report.written}`],
    ['delay without a fault', delays(calm)],
    ['delay with a fault', delays(struck)],
    ['starts of the operator', `${report.starts}, crashes ${report.crashes}`],
    ['footprint at the start', describeFootprint(footprints.first)],
    ['footprint at the end', describeFootprint(footprints.last)],
    ...report.faults.map(({ fault, times, recoveryMaxMs, slowest }) => {
      const which = slowest === '' ? '' : ` (${slowest})`;
      return [
        `fault ${fault}`,
        `${times} times, over for hooks at most ${recoveryMaxMs} ms after its end${which}`,
      ] as const;
    }),
  ];
  const late = report.faults.flatMap((fault) => fault.late);
  const lines = rows.map(([name, value]) => `${name.padEnd(44)}${value}`);
  return [...lines, ...[...late, ...report.problems].map((problem) => `PROBLEM ${problem}`)].join('\n');
}

function describeFootprint(footprint: Footprint | undefined): string {
  if (footprint === undefined) return 'unknown';
  const { rssBytes, openFiles, processes, ageMs } = footprint;
  const megabytes = (rssBytes / 1024 / 1024).toFixed(1);
  return `${megabytes} MB, ${openFiles} open files, ${processes} processes, ${Math.round(ageMs / 1000)} s old`;
}
