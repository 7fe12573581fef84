/** One line of a chart. */
export interface Series {
  readonly name: string;
  /** Limits are dashed and gray. */
  readonly role: 'hooklet' | 'variant' | 'limit';
  readonly points: readonly Point[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Axis {
  readonly label: string;
  readonly unit: string;
}

/** A chart with logarithmic axes. */
export interface Chart {
  readonly name: string;
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  /** The load average of the machine when the sweep began. */
  readonly machine?: { readonly cores: number; readonly loadAverage: number };
}

const WIDTH = 720;
const HEIGHT = 420;
const PLOT = { left: 76, right: 560, top: 48, bottom: 356 } as const;
/** Minimum distance between the names of two lines that end close to each other. */
const NAME_HEIGHT = 17;

/** Draws a chart as SVG that is legible on light and dark pages. */
export function svgOf(chart: Chart): string {
  const points = chart.series.flatMap((series) => series.points);
  const x = scaleOf(
    points.map((point) => point.x),
    [PLOT.left, PLOT.right],
  );
  const y = scaleOf(
    points.map((point) => point.y),
    [PLOT.bottom, PLOT.top],
  );
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escape(chart.title)}">`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${WIDTH}" height="${HEIGHT}" rx="6"/>`,
    `<text class="title" x="${PLOT.left}" y="28">${escape(chart.title)}</text>`,
    ...verticals(x, chart.x),
    ...horizontals(y, chart.y),
    ...chart.series.flatMap((series) => lineOf(series, x, y)),
    ...namesOf(chart.series, x, y),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

const STYLE = `
text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: #3a3f45 }
.title { font-size: 15px; font-weight: 600; fill: #16191d }
.page { fill: #ffffff }
.grid { stroke: #e4e7eb; stroke-width: 1 }
.line { fill: none; stroke-width: 2; stroke-linejoin: round }
.hooklet { stroke: #1f6feb } .hooklet-dot, .hooklet-name { fill: #1f6feb }
.variant { stroke: #b4530a } .variant-dot, .variant-name { fill: #b4530a }
.limit { stroke: #6e7781; stroke-dasharray: 5 4 } .limit-dot, .limit-name { fill: #6e7781 }
@media (prefers-color-scheme: dark) {
  text { fill: #c3c9d0 } .title { fill: #f0f3f6 } .page { fill: #14181d } .grid { stroke: #2c333b }
  .hooklet { stroke: #6cb0ff } .hooklet-dot, .hooklet-name { fill: #6cb0ff }
  .variant { stroke: #f0a35e } .variant-dot, .variant-name { fill: #f0a35e }
  .limit { stroke: #9aa4af } .limit-dot, .limit-name { fill: #9aa4af }
}
`;

interface Scale {
  readonly ticks: readonly number[];
  at(value: number): number;
}

/** The range from the tick below the smallest value to the one above the largest. */
function scaleOf(values: readonly number[], [from, to]: readonly [number, number]): Scale {
  const ticks = ticksOf(Math.min(...values), Math.max(...values));
  const [low, high] = [Math.log10(ticks[0] ?? 1), Math.log10(ticks.at(-1) ?? 10)];
  return { ticks, at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from) };
}

/** Powers of ten, and where there are few of them, 2 and 5 times those. */
export function ticksOf(least: number, greatest: number): readonly number[] {
  const [low, high] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(greatest))];
  const steps = high - low > 3 ? [1] : [1, 2, 5];
  const all = Array.from({ length: high - low + 1 }, (_, index) =>
    steps.map((step) => Number(`${step}e${low + index}`)),
  ).flat();
  const first = all.findLastIndex((tick) => tick <= least);
  const last = all.findIndex((tick) => tick >= greatest);
  // A single value needs a range, too.
  return all.slice(Math.max(0, first), Math.max(last, first + 1) + 1);
}

function verticals(scale: Scale, { label, unit }: Axis): readonly string[] {
  const lines = scale.ticks.map((tick) => {
    const x = round(scale.at(tick));
    return `<line class="grid" x1="${x}" x2="${x}" y1="${PLOT.top}" y2="${PLOT.bottom}"/><text x="${x}" y="${PLOT.bottom + 18}" text-anchor="middle">${tickText(tick)}</text>`;
  });
  const middle = (PLOT.left + PLOT.right) / 2;
  return [...lines, `<text x="${middle}" y="${HEIGHT - 16}" text-anchor="middle">${axisText(label, unit)}</text>`];
}

function horizontals(scale: Scale, { label, unit }: Axis): readonly string[] {
  const lines = scale.ticks.map((tick) => {
    const y = round(scale.at(tick));
    return `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y}" y2="${y}"/><text x="${PLOT.left - 8}" y="${y + 4}" text-anchor="end">${tickText(tick)}</text>`;
  });
  const middle = (PLOT.top + PLOT.bottom) / 2;
  return [
    ...lines,
    `<text transform="translate(18 ${middle}) rotate(-90)" text-anchor="middle">${axisText(label, unit)}</text>`,
  ];
}

function lineOf({ role, points }: Series, x: Scale, y: Scale): readonly string[] {
  const places = points.map((point) => `${round(x.at(point.x))},${round(y.at(point.y))}`);
  const dots = places.map((place) => {
    const [cx, cy] = place.split(',');
    return `<circle class="${role}-dot" cx="${cx}" cy="${cy}" r="3"/>`;
  });
  return [`<polyline class="line ${role}" points="${places.join(' ')}"/>`, ...dots];
}

/** The name of each line beside its end, moved apart where they would touch. */
function namesOf(series: readonly Series[], x: Scale, y: Scale): readonly string[] {
  const ends = series
    .flatMap(({ name, role, points }) => {
      const end = points.at(-1);
      return end === undefined ? [] : [{ name, role, x: x.at(end.x), y: y.at(end.y) }];
    })
    .toSorted((a, b) => a.y - b.y);
  let lowest = -Infinity;
  return ends.map((end) => {
    lowest = Math.max(end.y, lowest + NAME_HEIGHT);
    return `<text class="${end.role}-name" x="${round(end.x) + 9}" y="${round(lowest) + 4}">${escape(end.name)}</text>`;
  });
}

function axisText(label: string, unit: string): string {
  return escape(unit === '' ? label : `${label} (${unit})`);
}

function tickText(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 6 });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
