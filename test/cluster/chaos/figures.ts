import type { OracleReport } from '../solutions/etcd-oracle.ts';
import { ENDS } from '../solutions/etcd-repair-ends.ts';
import type { RepairEvent } from '../solutions/etcd-repair-rig.ts';

/** The result of one fault. */
export interface Round {
  readonly fault: string;
  /** Whether the member had to be replaced. */
  readonly wasForGood: boolean;
  readonly seconds: number;
  /** Whether the new member was sent the whole database. */
  readonly wasSentSnapshot: boolean;
  /** Members that were replaced without a fault of their own. */
  readonly unharmed: readonly string[];
}

/** How a cluster was set up. */
export interface ClusterKind {
  readonly replicas: number;
  readonly tls: boolean;
  readonly auth: boolean;
}

/** The results of one cluster, as printed as JSON. */
export function figures(
  cluster: ClusterKind & { readonly seed: number; readonly minutes: number; readonly megabytes: number },
  rounds: readonly Round[],
  events: readonly RepairEvent[],
  { acknowledged, refused, violations }: OracleReport,
) {
  const refusals = events.filter(({ type, reason }) => type === 'Warning' && reason !== 'RepairStarted');
  const counted = (reason: string): number => events.filter((event) => event.reason === reason).length;
  const lasting = rounds.filter(({ wasForGood }) => wasForGood);
  const byFault = Map.groupBy(lasting, ({ fault }) => fault);
  return {
    ...cluster,
    faults: counts(rounds.map(({ fault }) => fault)),
    writes: { acknowledged, refused, lost: violations.filter((one) => one.includes('is lost')).length },
    repairs: { begun: counted('RepairStarted'), ...Object.fromEntries(ENDS.map((end) => [end, counted(end)])) },
    refusals: counts(refusals.map(({ reason }) => reason)),
    secondsToWhole: times(lasting),
    secondsToWholeByFault: Object.fromEntries([...byFault].map(([fault, all]) => [fault, times(all)])),
    snapshotsSent: rounds.filter(({ wasSentSnapshot }) => wasSentSnapshot).length,
    replacedUnharmed: rounds.flatMap(({ unharmed }) => unharmed).length,
    violations,
  };
}

export type Figures = ReturnType<typeof figures>;

/** The same results as text. */
export function inWords(of: Figures): string {
  const { replicas, tls, auth, seed, minutes, megabytes, writes, repairs, secondsToWhole } = of;
  const { begun, ...ends } = repairs;
  const kind = `${tls ? 'with' : 'without'} TLS, ${auth ? 'with' : 'without'} passwords`;
  return [
    `${replicas} members, ${kind}, ${megabytes} MB, seed ${seed}, ${minutes} minutes`,
    `faults: ${listed(of.faults)}`,
    `repairs begun ${begun}, ended ${listed(ends)}; new members sent a whole database ${of.snapshotsSent}`,
    `seconds from failure to whole: ${timesInWords(secondsToWhole)}`,
    ...Object.entries(of.secondsToWholeByFault).map(([fault, all]) => `  ${fault}: ${timesInWords(all)}`),
    `refusals: ${listed(of.refusals)}`,
    `members replaced that nothing was done to: ${of.replacedUnharmed}`,
    `writes acknowledged ${writes.acknowledged}, refused ${writes.refused}, lost ${writes.lost}`,
    ...of.violations.map((violation) => `VIOLATION ${violation}`),
  ].join('\n  ');
}

interface Times {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

function times(rounds: readonly Round[]): Times {
  const sorted = rounds.map(({ seconds }) => seconds).toSorted((a, b) => a - b);
  const quantile = (part: number): number => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
  return { count: sorted.length, p50: quantile(0.5), p99: quantile(0.99), max: quantile(1) };
}

function timesInWords({ count, p50, p99, max }: Times): string {
  return `p50 ${p50}, p99 ${p99}, max ${max} (of ${count})`;
}

function counts(names: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}

function listed(numbers: Readonly<Record<string, number>>): string {
  return Object.entries(numbers)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}
