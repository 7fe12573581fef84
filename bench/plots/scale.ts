import type { Chart } from './chart.ts';
import { slopeOf, type Slope } from './slope.ts';

/** The curves as straight lines. */
export interface Slopes {
  /** MB against objects of which filter results are kept. */
  readonly filteredMb: Slope;
  /** MB against objects that are kept whole. */
  readonly fullMb: Slope;
  /** Seconds until objects are listed and filtered. */
  readonly listSeconds: Slope;
  /** MB against distinct watches. */
  readonly watchMb: Slope;
  /** Seconds to start against hooks. */
  readonly hookSeconds: Slope;
  /** CPU microseconds of an event against bindings that watch it. */
  readonly eventUs: Slope;
}

/** A size of installation, in round numbers. */
export const OBJECTS = 1e6;
const HOOKS = 1e4;
export const KINDS = 20;
/** Each object changes once in this many seconds. */
const CHANGE_SECONDS = 600;
export const SHARING = HOOKS / KINDS;
export const EVENTS_PER_SECOND = OBJECTS / CHANGE_SECONDS;

/** The assumed budget of one process. */
export const MOST_MEMORY_MB = 4000;
const MOST_START_SECONDS = 60;
const MOST_CORES = 1;

/** The slopes of the charts by name; `undefined` while one is missing. */
export function slopesOf(charts: Readonly<Record<string, Chart>>): Slopes | undefined {
  const slope = (chart: string, series: string): Slope =>
    slopeOf(charts[chart]?.series.find(({ name }) => name === series)?.points ?? []);
  const slopes = {
    filteredMb: slope('memory-objects', 'jqFilter only'),
    fullMb: slope('memory-objects', 'full objects'),
    listSeconds: slope('start-objects', 'jqFilter only'),
    watchMb: slope('memory-watches', 'hooklet'),
    hookSeconds: slope('start-hooks', 'hooklet'),
    eventUs: slope('event-bindings', 'hooklet'),
  };
  return Object.values(slopes).some(({ each }) => Number.isNaN(each)) ? undefined : slopes;
}

interface Bound {
  readonly what: string;
  readonly measured: string;
  readonly needed: number;
  readonly allowed: number;
  readonly unit: string;
}

/** Which bound one process meets first with 10^6 objects and 10^4 hooks, in Markdown. */
export function scaleText(slopes: Slopes): string {
  const bounds = boundsOf(slopes).toSorted((a, b) => b.needed / b.allowed - a.needed / a.allowed);
  const rows = bounds.map(({ what, measured, needed, allowed, unit }) => {
    const share = needed / allowed;
    return `| ${what} | ${measured} | ${short(needed)} ${unit} | ${short(allowed)} ${unit} | ${share.toFixed(2)} |`;
  });
  return ['| Bound | Measured | Needed | There is | Part of it |', '|---|---|--:|--:|--:|', ...rows].join('\n');
}

function boundsOf({ filteredMb, fullMb, listSeconds, watchMb, hookSeconds, eventUs }: Slopes): readonly Bound[] {
  const memory = (name: string, slope: Slope): Bound => ({
    what: `memory, ${name}`,
    measured: `${short(slope.base)} MB and ${short(slope.each * 1e6)} B an object`,
    needed: slope.base + OBJECTS * slope.each + KINDS * watchMb.each,
    allowed: MOST_MEMORY_MB,
    unit: 'MB',
  });
  return [
    memory('filter results', filteredMb),
    memory('full objects', fullMb),
    {
      what: 'start: hooks',
      measured: `${short(hookSeconds.each * 1000)} ms a hook`,
      needed: hookSeconds.base + HOOKS * hookSeconds.each,
      allowed: MOST_START_SECONDS,
      unit: 's',
    },
    {
      what: 'start: lists',
      measured: `${short(listSeconds.each * 1e6)} µs an object`,
      needed: OBJECTS * listSeconds.each,
      allowed: MOST_START_SECONDS,
      unit: 's',
    },
    {
      what: `events, ${short(EVENTS_PER_SECOND)} a second, ${SHARING} bindings each`,
      measured: `${short(eventUs.base)} µs and ${short(eventUs.each)} µs a binding`,
      needed: (EVENTS_PER_SECOND * (eventUs.base + SHARING * eventUs.each)) / 1e6,
      allowed: MOST_CORES,
      unit: 'cores',
    },
  ];
}

function short(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en-US');
}
