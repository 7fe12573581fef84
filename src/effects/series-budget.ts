import type { Series } from '../lib/series.ts';

/** The size of a series on the metrics page. */
export interface SeriesCost {
  /** 1 for a counter or gauge; a histogram has one for each bucket, and three more. */
  readonly samples: number;
  readonly bytes: number;
}

const HOOK_LIMIT: SeriesCost = { samples: 10_000, bytes: 4 * 2 ** 20 };
const TOTAL_LIMIT: SeriesCost = { samples: 50_000, bytes: 16 * 2 ** 20 };
const MAX_LABELS = 64;
const MAX_NAME_AND_LABELS = 8192;

/** The size of a line without name and labels: `_bucket`, a bound, the number. */
const LINE_BYTES = 48;
const NOTHING: SeriesCost = { samples: 0, bytes: 0 };

export function costOf(name: string, series: Series): SeriesCost {
  const samples = series.type === 'histogram' ? series.buckets.length + 3 : 1;
  return { samples, bytes: samples * (textBytes(name, series) + LINE_BYTES) };
}

/** Why a single series is too large to be kept; `undefined` when it is not. */
export function oversize(name: string, series: Series): string | undefined {
  const labels = Object.keys(series.labels).length;
  if (labels > MAX_LABELS) return `it has ${labels} labels, at most ${MAX_LABELS} are kept`;
  const bytes = textBytes(name, series);
  if (bytes <= MAX_NAME_AND_LABELS) return undefined;
  return `its name and labels have ${bytes} bytes, at most ${MAX_NAME_AND_LABELS} are kept`;
}

function textBytes(name: string, { labelText }: Series): number {
  return name.length + Buffer.byteLength(labelText);
}

/** Adds up the sizes of the series of each hook and of all hooks, and enforces the limits. */
export class SeriesBudget {
  readonly #byHook = new Map<string, SeriesCost>();
  #total = NOTHING;

  /** Reserves room for a series; returns the exceeded limit, and reserves nothing, when there is none. */
  take(hook: string, cost: SeriesCost): string | undefined {
    const used = this.#byHook.get(hook) ?? NOTHING;
    const reason =
      exceeded(sum(used, cost), HOOK_LIMIT, 'one hook') ?? exceeded(sum(this.#total, cost), TOTAL_LIMIT, 'all hooks');
    if (reason !== undefined) return reason;
    this.#byHook.set(hook, sum(used, cost));
    this.#total = sum(this.#total, cost);
    return undefined;
  }

  /** Releases room that `take` reserved. */
  giveBack(hook: string, cost: SeriesCost): void {
    const rest = difference(this.#byHook.get(hook) ?? NOTHING, cost);
    if (rest.samples === 0) this.#byHook.delete(hook);
    else this.#byHook.set(hook, rest);
    this.#total = difference(this.#total, cost);
  }
}

function exceeded(wanted: SeriesCost, limit: SeriesCost, whose: string): string | undefined {
  if (wanted.samples > limit.samples) return `${whose} may have ${limit.samples} samples`;
  return wanted.bytes > limit.bytes ? `${whose} may have ${limit.bytes / 2 ** 20} MiB of series` : undefined;
}

function sum(a: SeriesCost, b: SeriesCost): SeriesCost {
  return { samples: a.samples + b.samples, bytes: a.bytes + b.bytes };
}

function difference(a: SeriesCost, b: SeriesCost): SeriesCost {
  return { samples: a.samples - b.samples, bytes: a.bytes - b.bytes };
}
