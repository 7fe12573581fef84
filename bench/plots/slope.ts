import type { Point } from './chart.ts';

/** A straight line: the value at 0, and the increase per unit. */
export interface Slope {
  readonly base: number;
  readonly each: number;
}

/**
 * The line from the first point to the last, by relative least squares, so that small points count as much as large
 * ones.
 */
export function slopeOf(points: readonly Point[]): Slope {
  const weigh = (value: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + value(point) / point.y ** 2, 0);
  const [w, wx, wy] = [weigh(() => 1), weigh(({ x }) => x), weigh(({ y }) => y)];
  const [wxx, wxy] = [weigh(({ x }) => x * x), weigh(({ x, y }) => x * y)];
  const each = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  return { base: (wy - each * wx) / w, each };
}
