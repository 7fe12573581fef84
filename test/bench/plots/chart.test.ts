import { describe, expect, it } from 'vitest';
import { svgOf, ticksOf, type Chart } from '../../../bench/plots/chart.ts';
import { keptPoints } from '../../../bench/plots/plots.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../docs/markdown.ts';

const CHART: Chart = {
  name: 'memory',
  title: 'Memory & <more>',
  x: { label: 'objects', unit: '' },
  y: { label: 'PSS', unit: 'MB' },
  series: [
    {
      name: 'hooklet',
      role: 'hooklet',
      points: [
        { x: 1000, y: 50 },
        { x: 100_000, y: 200 },
      ],
    },
    {
      name: 'limit',
      role: 'limit',
      points: [
        { x: 1000, y: 49 },
        { x: 100_000, y: 199 },
      ],
    },
  ],
};

describe('ticks', () => {
  it.each([
    [3, 40, [2, 5, 10, 20, 50]],
    [1, 1, [1, 2]],
    [0.2, 0.9, [0.2, 0.5, 1]],
    [1, 100_000, [1, 10, 100, 1000, 10_000, 100_000]],
  ])('from %d to %d enclose them', (least, greatest, ticks) => {
    expect(ticksOf(least, greatest)).toEqual(ticks);
  });
});

describe('a chart', () => {
  const svg = svgOf(CHART);

  it('has its title, and axes with their units', () => {
    expect(svg).toContain('Memory &amp; &lt;more>');
    expect(svg).toContain('>PSS (MB)<');
    expect(svg).toContain('>objects<');
  });

  it('puts points where the ticks of their values are', () => {
    expect(svg).toMatch(/<polyline class="line hooklet" points="76,233.4 560,48"\/>/);
    expect(svg).toMatch(/y="237.4" text-anchor="end">50</);
    expect(svg).toMatch(/y="52" text-anchor="end">200</);
  });

  it('has a limit that looks different, and names that do not touch', () => {
    const heights = [...svg.matchAll(/class="(?:hooklet|limit)-name" x="[\d.]+" y="([\d.]+)"/g)].map(([, y]) =>
      Number(y),
    );

    expect(svg).toMatch(/\.limit \{[^}]*stroke-dasharray/);
    expect(heights).toHaveLength(2);
    expect(Math.abs((heights[0] ?? 0) - (heights[1] ?? 0))).toBeGreaterThanOrEqual(16);
  });

  it('can be read on dark pages', () => {
    expect(svg).toContain('@media (prefers-color-scheme: dark)');
  });

  it.each(Object.values(keptPoints()))('$name is drawn from the points that are kept', (chart) => {
    expect(svgOf(chart)).toBe(readFileSync(join(root, 'docs', 'performance', `${chart.name}.svg`), 'utf8'));
  });
});
