import { writeFileSync } from 'node:fs';
import { limitOf, runCell, type Cell, type CellResult, type MatrixWorld } from './cell.ts';
import { describeTable, tableOf } from './table.ts';

/** The number of clients, each with its own proxy, that one process can run within the limits. */
const SIDE_BY_SIDE = 24;
/** Cells that take longer mostly wait, and do not count. */
const MOSTLY_WAITING_MS = 20_000;
const STAGGER_MS = 80;

/** Runs many cells concurrently; each result is taken once. */
export class MatrixRuns {
  readonly #world: MatrixWorld;
  readonly #runs = new Map<Cell, Promise<CellResult>>();
  readonly #results: CellResult[] = [];
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(world: MatrixWorld) {
    this.#world = world;
  }

  /** Starts them in this order, as many at once as there is room for. */
  start(cells: readonly Cell[]): void {
    for (const [index, cell] of cells.entries()) {
      const run = this.#run(cell, index);
      // Rethrown to the test of the cell.
      run.catch(() => {});
      this.#runs.set(cell, run);
    }
  }

  /** Returns the result of a cell; a cell whose result was already taken runs again, alone. */
  async take(cell: Cell): Promise<CellResult> {
    const run = this.#runs.get(cell) ?? this.#run(cell, 0);
    this.#runs.delete(cell);
    return run;
  }

  /** Prints the times, and writes them to the file that `HOOKLET_MATRIX_JSON` names. */
  report(title: string): void {
    console.log(describeTable(title, this.#results));
    const path = process.env['HOOKLET_MATRIX_JSON'];
    if (path === undefined) return;
    const cells = this.#results.map(({ cell, ...rest }) => ({ ...cell, ...rest }));
    writeFileSync(
      `${path}.${title.replaceAll(/\W+/g, '-')}.json`,
      JSON.stringify({ title, table: tableOf(this.#results), cells }, undefined, 2),
    );
  }

  async #run(cell: Cell, index: number): Promise<CellResult> {
    await new Promise((resolve) => setTimeout(resolve, index * STAGGER_MS));
    const isCounted = cell.stormMs + limitOf(cell) < MOSTLY_WAITING_MS;
    if (isCounted) await this.#room();
    try {
      const result = await runCell(this.#world, cell, index);
      this.#results.push(result);
      return result;
    } finally {
      if (isCounted) this.#leave();
    }
  }

  async #room(): Promise<void> {
    if (this.#running >= SIDE_BY_SIDE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}
