import type { BackoffRule, RetryRule, SettleRule } from './binding.ts';
import {
  inside,
  present,
  readFields,
  readWhole,
  readWord,
  report,
  reportValue,
  type Fields,
  type Place,
  type Read,
} from './config-reader.ts';
import { readDuration } from './config-duration.ts';

const MAX_ATTEMPTS = 1_000_000;
const MAX_FACTOR = 100;
const MAX_PARALLELISM = 100;
const MAX_FAILED_RUNS = 1000;

const DEFAULT_BACKOFF: BackoffRule = { firstMs: 5000, factor: 2, maxMs: 300_000, jitter: 0.2 };
/** Without a `max`, a burst is acted on after this many times `quiet`. */
const MAX_QUIETS = 10;

/** A Go duration above zero; returns milliseconds. */
const readSpan: Read<number> = (value, place) => {
  const spanMs = readDuration(value, place);
  return spanMs === 0 ? reportValue(place, value, 'a Go duration above zero such as "30s"') : spanMs;
};

const readBackoffFields = readFields(
  { first: readSpan, factor: numberIn(1, MAX_FACTOR), max: readSpan, jitter: numberIn(0, 1) },
  { isNonEmpty: true },
);

const readBackoff: Read<BackoffRule> = (value, place) => {
  const { first, factor, max, jitter } = readBackoffFields(value, place);
  if (first !== undefined && max !== undefined && max < first) {
    report(inside(place, 'max'), 'is shorter than "first", expected as long or longer');
  }
  const { factor: defaultFactor, jitter: defaultJitter } = DEFAULT_BACKOFF;
  const maxMs = max ?? Math.max(DEFAULT_BACKOFF.maxMs, first ?? 0);
  const firstMs = first ?? Math.min(DEFAULT_BACKOFF.firstMs, maxMs);
  return { firstMs, factor: factor ?? defaultFactor, maxMs, jitter: jitter ?? defaultJitter };
};

const RETRY_SHAPE = {
  max: readWhole(1, MAX_ATTEMPTS),
  backoff: readBackoff,
  deadline: readSpan,
  onExhausted: readWord({ dead: 'dead', block: 'block', drop: 'drop' } as const),
};

const readRetryFields = readFields(RETRY_SHAPE, { isNonEmpty: true });

/** A retry rule as written. */
export const readRetry: Read<RetryRule> = (value, place) => {
  const fields: Fields<typeof RETRY_SHAPE> = readRetryFields(value, place);
  const { max, backoff, deadline, onExhausted } = fields;
  if (onExhausted !== undefined && max === undefined && deadline === undefined) {
    report(inside(place, 'onExhausted'), 'has an effect only with "max" or "deadline"');
  }
  return { onExhausted: onExhausted ?? 'dead', ...present({ max, backoff, deadlineMs: deadline }) };
};

/** Reports a retry rule of a binding whose failures are allowed. */
export function checkRetry(
  { retry, allowFailure }: { readonly retry: RetryRule | undefined; readonly allowFailure: boolean | undefined },
  place: Place,
): void {
  if (retry === undefined || allowFailure !== true) return;
  report(
    inside(place, 'retry'),
    'has no effect with "allowFailure: true", which runs a task once; expected one of the two',
  );
}

const readSettleFields = readFields(
  { quiet: readSpan, max: readSpan },
  { required: { quiet: 'a Go duration such as "30s"' } },
);

/** When a burst of events is acted on. */
export const readSettle: Read<SettleRule> = (value, place) => {
  const { quiet, max } = readSettleFields(value, place);
  if (quiet === undefined) return undefined;
  if (max !== undefined && max < quiet) {
    report(inside(place, 'max'), 'is shorter than "quiet", expected as long or longer');
  }
  return { quietMs: quiet, maxMs: max ?? MAX_QUIETS * quiet };
};

/** How many objects run side by side. */
export const readParallelism: Read<number> = readWhole(1, MAX_PARALLELISM);

/** After how many failed runs in a row a schedule is suspended. */
export const readSuspendAfter: Read<number> = readWhole(1, MAX_FAILED_RUNS);

function numberIn(min: number, max: number): Read<number> {
  return (value, place) => {
    const isNumber = typeof value === 'number' && value >= min && value <= max;
    return isNumber ? value : reportValue(place, value, `a number from ${min} to ${max}`);
  };
}
