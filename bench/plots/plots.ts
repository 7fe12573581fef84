import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBench } from '../stage.ts';
import { valueText } from '../table.ts';
import { svgOf, type Chart } from './chart.ts';
import type { Plot } from './plot.ts';

/** Every plot, by the name of its module and of its picture. */
export const PLOTS = ['latency', 'memory-objects', 'memory-watches', 'start-hooks', 'event-bindings'] as const;

const PICTURES = join(import.meta.dirname, '..', '..', 'docs', 'performance');

/** Measures the curves that are asked for, or all, and draws each into docs/performance/. */
export async function drawPlots(asked: readonly string[], say: (text: string) => void): Promise<readonly Chart[]> {
  mkdirSync(PICTURES, { recursive: true });
  const charts: Chart[] = [];
  for (const name of PLOTS.filter((plot) => asked.length === 0 || asked.includes(plot))) {
    const { plot }: { readonly plot: Plot } = await import(`./${name}.ts`);
    await using stage = await openBench();
    const chart = await plot(stage);
    writeFileSync(join(PICTURES, `${chart.name}.svg`), svgOf(chart));
    charts.push(chart);
    say(pointsOf(chart));
  }
  return charts;
}

/** The points of a chart as text. */
function pointsOf({ title, y, series }: Chart): string {
  const lines = series.map(({ name, points }) => {
    const pairs = points.map((point) => `${valueText(point.x, '')}: ${valueText(point.y, y.unit)}`);
    return `  ${name}: ${pairs.join(', ')}`;
  });
  return [title, ...lines].join('\n');
}
