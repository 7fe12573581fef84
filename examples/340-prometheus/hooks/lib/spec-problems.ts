import { bytesOf } from './quantity.ts';
import type { Prometheus } from './resources.ts';

const DURATION = /^(?:0|(?:\d+y)?(?:\d+w)?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?(?:\d+ms)?)$/;
const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 };
/** Prometheus counts nanoseconds in 64 bits, and keeps samples no longer. */
const MAX_YEARS = 100;
const SIZES = ['B', 'KB', 'MB', 'GB', 'TB', 'PB', 'EB'];
const MAX_NAME = 40;
const MAX_REPLICAS = 100;

/** What of a Prometheus nothing can be made of, one sentence each, which promtool would not find. */
export function specProblems({ metadata, spec }: Prometheus): readonly string[] {
  const { name } = metadata;
  const { replicas = 1, storage } = spec;
  const request = storage?.volumeClaimTemplate.spec.resources.requests.storage;
  const checks: readonly Check[] = [
    [
      name,
      isName,
      'metadata.name',
      `at most ${MAX_NAME} lower case letters, digits and -, since it is part of the name of a Service`,
    ],
    [String(replicas), isReplicas, 'spec.replicas', `a whole number from 0 to ${MAX_REPLICAS}`],
    [spec.version, matches(/^\d+\.\d+\.\d+$/), 'spec.version', 'one such as 3.13.5, without a v'],
    [spec.retention, isDuration, 'spec.retention', `a duration such as 15d, ${MOST}`],
    [spec.retentionSize, isRetentionSize, 'spec.retentionSize', 'a size such as 40GB, less than 8EB'],
    [spec.scrapeInterval, isDuration, 'spec.scrapeInterval', `a duration such as 30s, ${MOST}`],
    [spec.scrapeTimeout, isDuration, 'spec.scrapeTimeout', `a duration such as 10s, ${MOST}`],
    [spec.evaluationInterval, isDuration, 'spec.evaluationInterval', `a duration such as 30s, ${MOST}`],
    [request, isSize, 'spec.storage', 'a size above 0 such as 50Gi'],
  ];
  return checks.flatMap(([value, isGood, path, expected]) =>
    value === undefined || isGood(value)
      ? []
      : [`${path}: got ${JSON.stringify(value.slice(0, 100))}, expected ${expected}`],
  );
}

type Check = readonly [value: string | undefined, isGood: (value: string) => boolean, path: string, expected: string];

function isName(text: string): boolean {
  return text.length <= MAX_NAME && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text);
}

function isReplicas(text: string): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) <= MAX_REPLICAS;
}

const MOST = `at most ${MAX_YEARS} years`;

function isDuration(text: string): boolean {
  if (text === '' || !DURATION.test(text)) return false;
  const parts = Object.entries(UNIT_MS).map(([unit, ms]) => {
    const [, count = '0'] = new RegExp(String.raw`(\d+)${unit}(?:\d|$)`).exec(text) ?? [];
    return Number(count) * ms;
  });
  return parts.reduce((sum, part) => sum + part, 0) <= MAX_YEARS * UNIT_MS.y;
}

/** Prometheus counts bytes in 64 bits with a sign, and a KB as 1024 of them. */
function isRetentionSize(text: string): boolean {
  const [, count = '', unit = ''] = /^(\d+)([KMGTPE]?B)$/.exec(text) ?? [];
  return SIZES.includes(unit) && Number(count) * 1024 ** SIZES.indexOf(unit) < 2 ** 63;
}

function isSize(text: string): boolean {
  return bytesOf(text) !== undefined;
}

function matches(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}
