import type { BenchStage } from './stage.ts';

export type Unit =
  | 'ms'
  | 'us'
  | 's'
  | 'B'
  | 'KB'
  | 'MB'
  | '%'
  | 'requests'
  | 'rotations'
  | 'runs'
  | 'runs/s'
  | 'events/s'
  | 'objects/s';

/** A goal for hooklet's value itself, or for its ratio to the limit. */
export interface Goal {
  readonly type: 'ratio' | 'value';
  readonly most?: number;
  readonly least?: number;
}

/** One figure of a row, each value a median (or the share that `name` says) of interleaved rounds. */
export interface Measure {
  readonly name: string;
  readonly unit: Unit;
  readonly hooklet: number;
  /** The minimum on this machine, from the same run. */
  readonly limit?: number;
  /** The value of shell-operator, if `PEER` is the path of its binary. */
  readonly peer?: number;
  /** Absent: the value is only printed. */
  readonly goal?: Goal;
}

/** Measures one row on a control plane of its own; leaves nothing running. */
export type Row = (stage: BenchStage) => Promise<readonly Measure[]>;

/** Hooklet's value divided by the limit; `undefined` when there is no limit. */
export function ratioOf({ hooklet, limit }: Measure): number | undefined {
  return limit === undefined ? undefined : hooklet / limit;
}

/** Whether the goal is met; `undefined` when there is none. */
export function isReached(measure: Measure): boolean | undefined {
  const { goal, hooklet } = measure;
  if (goal === undefined) return undefined;
  const value = goal.type === 'value' ? hooklet : ratioOf(measure);
  if (value === undefined) return undefined;
  return value <= (goal.most ?? Infinity) && value >= (goal.least ?? -Infinity);
}
