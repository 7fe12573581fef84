import { afterAll, beforeAll, expect, it } from 'vitest';
import { limitOf, type Cell, type MatrixWorld } from './cell.ts';
import { keepCoresBusy } from './busy-cores.ts';
import { MatrixRuns } from './runs.ts';

export interface MatrixLaws {
  readonly title: string;
  readonly cells: readonly Cell[];
  readonly world: () => Promise<MatrixWorld & AsyncDisposable>;
  /** The number of cores that other processes keep busy meanwhile. */
  readonly busyCores?: number;
}

/** Defines a test for each cell; the cells run concurrently. */
export function describeMatrix({ title, cells, world, busyCores = 0 }: MatrixLaws): void {
  const ends = new AsyncDisposableStack();
  let runs: MatrixRuns | undefined;
  beforeAll(async () => {
    const started = ends.use(await world());
    ends.use(keepCoresBusy(busyCores));
    runs = new MatrixRuns(started);
    // The longest ones first.
    runs.start(cells.toSorted((a, b) => limitOf(b) + b.stormMs - limitOf(a) - a.stormMs));
  });
  afterAll(async () => {
    runs?.report(title);
    await ends.disposeAsync();
  });

  it.each(cells.map((cell) => ({ ...cell, cell, limitS: limitOf(cell) / 1000 })))(
    '$protocol, $way: follows within $limitS s of the end of $fault at $stage (for $stormMs ms)',
    async ({ cell }) => {
      const result = await runs?.take(cell);

      expect(result).toMatchObject({ problems: [], recoveredMs: expect.any(Number) });
      expect(result?.strikes).toBeGreaterThan(0);
      expect(result?.recoveredMs).toBeLessThanOrEqual(limitOf(cell));
    },
  );
}
