import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { availableParallelism, loadavg } from 'node:os';
import { inspect } from 'node:util';
import { writePart } from '../page.ts';
import { openBench } from '../stage.ts';
import { valueText } from '../table.ts';
import { answersText, keptCosts } from './answers.ts';
import { svgOf, type Chart } from './chart.ts';
import type { Plot } from './plot.ts';
import { scaleText, slopesOf } from './scale.ts';

/** Every sweep, by the name of its module. */
export const PLOTS = ['latency', 'memory-objects', 'memory-watches', 'start-hooks', 'event-bindings'] as const;

const PICTURES = join(import.meta.dirname, '..', '..', 'docs', 'performance');
const POINTS = join(import.meta.dirname, 'points.json');

/** Measures the given curves, or all, draws each into docs/performance/, and updates the tables that depend on all. */
export async function drawPlots(asked: readonly string[], say: (text: string) => void): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  for (const name of PLOTS.filter((plot) => asked.length === 0 || asked.includes(plot))) {
    for (const chart of await attempt(name)) {
      keepPoints(chart);
      const kept = keptPoints()[chart.name] ?? chart;
      writeFileSync(join(PICTURES, `${chart.name}.svg`), svgOf(kept));
      say(pointsOf(kept));
    }
  }
  writePart('machine', machineText(Object.values(keptPoints())));
  const slopes = slopesOf(keptPoints());
  if (slopes === undefined) say('docs/performance.md keeps its arithmetic until all curves have been measured');
  else writePart('scale', scaleText(slopes));
  const costs = keptCosts();
  if (slopes !== undefined && costs !== undefined) writePart('answers', answersText(slopes, costs));
}

/** Measures a sweep; a failure is printed, and does not stop the others. */
async function attempt(name: string): Promise<readonly Chart[]> {
  try {
    return await measurePlot(name);
  } catch (error) {
    process.stderr.write(`${name} could not be measured: ${inspect(error)}\n`);
    process.exitCode = 1;
    return [];
  }
}

async function measurePlot(name: string): Promise<readonly Chart[]> {
  const { plot }: { readonly plot: Plot } = await import(`./${name}.ts`);
  const machine = { cores: availableParallelism(), loadAverage: loadavg()[0] ?? 0 };
  await using stage = await openBench();
  return (await plot(stage)).map((chart) => ({ ...chart, machine }));
}

/** The latest points of all charts. */
export function keptPoints(): Readonly<Record<string, Chart>> {
  return JSON.parse(readFileSync(POINTS, 'utf8'));
}

function keepPoints(chart: Chart): void {
  const points = { ...keptPoints(), [chart.name]: chart };
  const digits = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toPrecision(4)) : value;
  writeFileSync(POINTS, `${JSON.stringify(points, digits, 2)}\n`);
}

/**
 * The load average before the sweep: above about half the number of cores, times depend more on the load than on
 * hooklet.
 */
function machineText(charts: readonly Chart[]): string {
  const cores = Math.max(...charts.map(({ machine }) => machine?.cores ?? 0));
  const loads = charts.map(({ name, machine }) => `${name} ${valueText(machine?.loadAverage, '')}`);
  return `Load average of the machine (${cores} cores) before each sweep: ${loads.join(', ')}.`;
}

/** The points of a chart as text. */
function pointsOf({ title, y, series }: Chart): string {
  const lines = series.map(({ name, points }) => {
    const pairs = points.map((point) => `${valueText(point.x, '')}: ${valueText(point.y, y.unit)}`);
    return `  ${name}: ${pairs.join(', ')}`;
  });
  return [title, ...lines].join('\n');
}
