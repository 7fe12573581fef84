import { parseFieldSelector } from './field-selector.ts';
import type { JsonObject } from './json.ts';
import type { ServedKind } from './kind.ts';
import { parseLabelSelector } from './label-selector.ts';
import { parseShardSelector } from './shard-selector.ts';
import { badRequest, forbiddenValue, invalid, StatusError, unsupportedValue, type Cause } from './status-error.ts';

/** The options in the query of a list or a watch. */
export interface ListOptions {
  readonly watch: boolean;
  readonly matches: (object: JsonObject) => boolean;
  readonly selects: boolean;
  /** As given; the empty string if absent, or if the server does not know it. */
  readonly shardSelector: string;
  readonly limit: number;
  readonly continueToken: string;
  /** As given; the empty string if absent. */
  readonly resourceVersion: string;
  readonly revision: number;
  readonly match: string;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
}

/** The feature gates that concern lists. */
export interface ListFeatures {
  /** Whether `shardSelector` is known; a server that does not know it ignores it. */
  readonly shardedListAndWatch: boolean;
}

/** Reads the query of a list or a watch; throws the server's refusal if it is invalid. */
export function parseListOptions(kind: ServedKind, query: URLSearchParams, features?: ListFeatures): ListOptions {
  const text = (name: string): string => query.get(name) ?? '';
  const matchesLabels = parseLabelSelector(text('labelSelector'));
  const matchesFields = parseFieldSelector(kind, text('fieldSelector'));
  const shardSelector = features?.shardedListAndWatch === true ? text('shardSelector') : '';
  const matchesShard = shardSelector === '' ? () => true : parseShardSelector(shardSelector);
  const options = {
    watch: isTrue(query.get('watch')),
    matches: (object: JsonObject) => matchesLabels(object) && matchesFields(object) && matchesShard(object),
    selects: text('labelSelector') !== '' || text('fieldSelector') !== '' || shardSelector !== '',
    shardSelector,
    limit: integer(text('limit')),
    continueToken: text('continue'),
    resourceVersion: text('resourceVersion'),
    match: text('resourceVersionMatch'),
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: query.has('sendInitialEvents') ? isTrue(query.get('sendInitialEvents')) : undefined,
    timeoutSeconds: query.has('timeoutSeconds') ? integer(text('timeoutSeconds')) : undefined,
  };
  const causes = options.watch ? watchCauses(options) : listCauses(options);
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', causes);
  return { ...options, revision: parseRevision(options.resourceVersion, options.watch) };
}

/** Whether a query value means true; the server accepts anything but false and 0 as true. */
export function isTrue(value: string | null): boolean {
  return value !== null && !['0', 'false'].includes(value.toLowerCase());
}

function integer(text: string): number {
  if (/^-?\d*$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

type Unchecked = Omit<ListOptions, 'revision'>;

function watchCauses(options: Unchecked): readonly Cause[] {
  if (options.sendInitialEvents === undefined) {
    if (options.match === '') return [];
    const rule = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
    return [forbiddenValue('resourceVersionMatch', rule)];
  }
  if (options.match === 'NotOlderThan') return [];
  const rule = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
  const causes = [forbiddenValue('resourceVersionMatch', rule)];
  if (options.match === '') return causes;
  return [...causes, unsupportedValue('resourceVersionMatch', options.match, ['NotOlderThan'])];
}

function listCauses(options: Unchecked): readonly Cause[] {
  if (options.sendInitialEvents !== undefined) {
    return [forbiddenValue('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
  }
  return matchRules(options)
    .filter((rule) => rule.broken)
    .map((rule) => rule.cause);
}

function matchRules({
  match,
  resourceVersion,
  continueToken,
}: Unchecked): readonly { broken: boolean; cause: Cause }[] {
  const field = 'resourceVersionMatch';
  return [
    {
      broken: match !== '' && continueToken !== '',
      cause: forbiddenValue(field, 'resourceVersionMatch is forbidden when continue is provided'),
    },
    {
      broken: match !== '' && resourceVersion === '',
      cause: forbiddenValue(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
    },
    {
      broken: !['', 'Exact', 'NotOlderThan'].includes(match),
      cause: unsupportedValue(field, match, ['Exact', 'NotOlderThan', '']),
    },
    {
      broken: match === 'Exact' && resourceVersion === '0',
      cause: forbiddenValue(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
    },
  ];
}

function parseRevision(text: string, watch: boolean): number {
  if (/^\d*$/.test(text)) return Number(text);
  const message = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  if (watch) throw new StatusError({ code: 500, message });
  throw badRequest(`invalid resource version: ${message}`);
}

/** 504 for a resourceVersion that the server has not reached yet. */
export function tooLargeResourceVersion(asked: number, current: number): StatusError {
  return new StatusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
    retryAfterSeconds: 1,
  });
}
