import { CONNECTION_FAULTS, PROTOCOLS } from '../stages/stages.ts';
import type { CellResult } from './cell.ts';

/** The times from the end of faults until hooks receive changes again, by fault and protocol. */
export interface MatrixRow {
  readonly protocol: string;
  readonly fault: string;
  readonly cells: number;
  readonly limitMs: number;
  readonly p50Ms: number;
  readonly maxMs: number;
  /** The cell with the longest time. */
  readonly slowest: string;
}

export function tableOf(results: readonly CellResult[]): readonly MatrixRow[] {
  const limits = [...new Set(results.map(({ limitMs }) => limitMs))].toSorted((a, b) => a - b);
  return PROTOCOLS.flatMap((protocol) =>
    CONNECTION_FAULTS.flatMap((fault) =>
      limits.flatMap((limitMs) => {
        const own = results.filter(
          (one) => one.cell.protocol === protocol && one.cell.fault === fault && one.limitMs === limitMs,
        );
        return own.length === 0 ? [] : [rowOf(protocol, fault, own)];
      }),
    ),
  );
}

function rowOf(protocol: string, fault: string, results: readonly CellResult[]): MatrixRow {
  const sorted = results.toSorted((a, b) => (a.recoveredMs ?? Infinity) - (b.recoveredMs ?? Infinity));
  const slowest = sorted.at(-1);
  return {
    protocol,
    fault,
    cells: sorted.length,
    limitMs: slowest?.limitMs ?? 0,
    p50Ms: sorted[Math.floor((sorted.length - 1) / 2)]?.recoveredMs ?? Infinity,
    maxMs: slowest?.recoveredMs ?? Infinity,
    slowest: slowest === undefined ? '' : `${slowest.cell.stage}, ${slowest.cell.way}`,
  };
}

/** The table as text. */
export function describeTable(title: string, results: readonly CellResult[]): string {
  const columns = ['protocol', 'fault', 'cells', 'limitMs', 'p50Ms', 'maxMs', 'slowest'] as const;
  const lines = tableOf(results).map((row) => `| ${columns.map((column) => row[column]).join(' | ')} |`);
  return [title, `| ${columns.join(' | ')} |`, `|${'---|'.repeat(columns.length)}`, ...lines].join('\n');
}
