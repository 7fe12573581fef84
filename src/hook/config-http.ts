import type { RetryRule } from './binding.ts';
import {
  inside,
  present,
  readFields,
  readFlag,
  readLabel,
  readList,
  readText,
  readWhole,
  readWord,
  report,
  reportValue,
  type Fields,
  type Place,
  type Read,
} from './config-reader.ts';
import { checkRetry, readRetry } from './config-retry.ts';
import type { HttpAuthentication, HttpBinding } from './http-binding.ts';
import { isObject } from '../lib/json-object.ts';

/** One entry of `http` as written, each field checked. */
export type HttpEntry = Fields<typeof SHAPE>;

const DEFAULT_BODY_BYTES = 1024 * 1024;
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const DEFAULT_PER_MINUTE = 60;
const DEFAULT_BURST = 20;
const MAX_RATE = 60_000;

const readFile: Read<string> = (value, place) =>
  typeof value === 'string' && value.startsWith('/') && !value.includes('\0')
    ? value
    : reportValue(place, value, 'an absolute path, such as that of a mounted Secret');

const readAuthenticationFields = readFields(
  { type: readWord({ token: 'token', github: 'github', slack: 'slack' } as const), secretFile: readFile },
  { required: { type: 'token, github or slack' } },
);

const readAuthentication: Read<HttpAuthentication> = (value, place) => {
  const { type, secretFile } = readAuthenticationFields(value, place);
  if (type === undefined) return undefined;
  if (type === 'token') {
    if (secretFile !== undefined) report(inside(place, 'secretFile'), 'has an effect only with type github or slack');
    return { type };
  }
  if (secretFile !== undefined) return { type, secretFile };
  // Given, and reported already.
  if (isObject(value) && value['secretFile'] !== undefined) return undefined;
  return report(inside(place, 'secretFile'), 'missing, expected the path of the file with the secret of the signature');
};

// It becomes a part of the path.
const readHttpName: Read<string> = (value, place) => {
  const name = readLabel(value, place);
  if (name === undefined || /^[\w.-]+$/.test(name)) return name;
  return reportValue(place, value, 'letters, digits, "-", "_" and ".", since it is a part of the path');
};

const readRateFields = readFields(
  { perMinute: readWhole(1, MAX_RATE), burst: readWhole(1, MAX_RATE) },
  { isNonEmpty: true },
);

const SHAPE = {
  name: readHttpName,
  authentication: readAuthentication,
  maxBodyBytes: readWhole(1, MAX_BODY_BYTES),
  rateLimit: readRateFields,
  allowFailure: readFlag,
  queue: readLabel,
  group: readLabel,
  includeSnapshotsFrom: readList(readText, 1),
  retry: readRetry,
};

const readEntryFields = readFields(SHAPE);

/** Reads one entry of `http`. */
export const readHttpEntry: Read<HttpEntry> = (value, place) => {
  const entry = readEntryFields(value, place);
  checkRetry(entry, place);
  return entry;
};

/** Reports entries that have the same name: they would have the same path. */
export function checkHttpNames(entries: readonly HttpEntry[], place: Place): void {
  const seen = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const name = httpName(entry);
    if (seen.has(name)) {
      report(inside(inside(inside(place, 'http'), index), 'name'), `there is another http binding called '${name}'`);
    }
    seen.add(name);
  }
}

/** Fills in the defaults, `retry` among them. */
export function toHttpBinding(entry: HttpEntry, snapshots: readonly string[], retry?: RetryRule): HttpBinding {
  const { authentication = { type: 'token' }, maxBodyBytes = DEFAULT_BODY_BYTES, rateLimit, group } = entry;
  const { perMinute = DEFAULT_PER_MINUTE, burst = DEFAULT_BURST } = rateLimit ?? {};
  return {
    type: 'http',
    name: httpName(entry),
    authentication,
    maxBodyBytes,
    rateLimit: { perMinute, burst },
    allowFailure: entry.allowFailure ?? false,
    queue: entry.queue ?? 'main',
    includeSnapshotsFrom: snapshots,
    ...present({ group, retry: entry.retry ?? retry }),
  };
}

function httpName({ name = 'http' }: HttpEntry): string {
  return name;
}
