import { parseDuration } from '../lib/duration.ts';
import { pathSegmentProblem } from '../lib/path-segment.ts';
import { shown, shownText } from '../lib/shown.ts';
import type { Filter, KubernetesBinding, RetryRule, WatchEvent } from './binding.ts';
import {
  inside,
  present,
  readFields,
  readFlag,
  readLabel,
  readList,
  readName,
  readOptionalText,
  readText,
  readWord,
  report,
  reportType,
  reportValue,
  warn,
  type Fields,
  type Place,
  type Read,
} from './config-reader.ts';
import { readFieldSelector, readLabelSelector, readNameSelector, readNamespace } from './config-selector.ts';
import { readLock } from './config-lock.ts';
import { checkRetry, readParallelism, readRetry, readSettle } from './config-retry.ts';
import { SHARDS } from './shard.ts';

/** Compiles a filter; returns why it does not compile. */
export type CheckFilter = (filter: Filter) => string | undefined;

/** One entry of `kubernetes` as written, each field checked. */
export type KubernetesEntry = Fields<ReturnType<typeof createShape>>;

const WATCH_EVENTS = { Added: 'Added', Modified: 'Modified', Deleted: 'Deleted' } as const;
const ALL_EVENTS: readonly WatchEvent[] = Object.values(WATCH_EVENTS);

/** Creates the reader of one entry of `kubernetes`; it checks everything that needs no other entry. */
export function createKubernetesReader(checkFilter: CheckFilter): Read<KubernetesEntry> {
  const readEntry = readFields(createShape(checkFilter), { required: { kind: 'a kind such as Pod' } });
  return (value, place) => {
    const entry = readEntry(value, place);
    if (entry.jqFilter !== undefined && entry.jsonPathFilter !== undefined) {
      report(inside(place, 'jsonPathFilter'), 'jqFilter and jsonPathFilter are mutually exclusive');
    }
    if (entry.nameSelector !== undefined && entry.fieldSelector?.some(({ field }) => field === 'metadata.name')) {
      const message = "fieldSelector 'metadata.name' and nameSelector.matchNames are mutually exclusive";
      report(inside(place, 'fieldSelector'), message);
    }
    checkRetry(entry, place);
    checkConcurrency(entry, place);
    return entry;
  };
}

/** Fills in the defaults, `retry` among them; `undefined` for an entry whose kind is missing or wrong. */
export function toKubernetesBinding(
  entry: KubernetesEntry,
  snapshots: readonly string[],
  retry?: RetryRule,
): KubernetesBinding | undefined {
  if (entry.kind === undefined) return undefined;
  const events = entry.executeHookOnEvent ?? entry.watchEvent ?? ALL_EVENTS;
  return {
    type: 'kubernetes',
    ...withDefaults(entry),
    kind: entry.kind,
    executeHookOnEvent: [...new Set(events)],
    includeSnapshotsFrom: snapshots,
    ...present({
      apiVersion: entry.apiVersion,
      filter: entry.jqFilter ?? entry.jsonPathFilter,
      names: entry.nameSelector,
      labelSelector: entry.labelSelector,
      fieldSelector: entry.fieldSelector,
      namespace: entry.namespace,
      group: entry.group,
      resynchronizationPeriodMs: entry.resynchronizationPeriod || undefined,
      retry: entry.retry ?? retry,
      concurrency: entry.concurrency,
      parallelism: entry.parallelism,
      settle: entry.settle,
      shard: entry.shard,
      lock: entry.lock,
    }),
  };
}

/** The name of an entry in `includeSnapshotsFrom` and in binding contexts. */
export function kubernetesName({ name = 'kubernetes' }: KubernetesEntry): string {
  return name;
}

function checkConcurrency({ concurrency, parallelism, queue, group }: KubernetesEntry, place: Place): void {
  if (concurrency === undefined) {
    if (parallelism === undefined) return;
    report(inside(place, 'parallelism'), 'has an effect only with "concurrency: byObject"');
    return;
  }
  if (queue !== undefined) {
    const message =
      'a queue has its tasks run one after the other, but with "concurrency: byObject" each object has an order of its own; expected one of the two';
    report(inside(place, 'queue'), message);
  }
  if (group !== undefined) {
    const message =
      'a group has one run serve events of several objects, but with "concurrency: byObject" each object runs by itself; expected one of the two';
    report(inside(place, 'group'), message);
  }
}

function withDefaults(entry: KubernetesEntry) {
  const { executeHookOnSynchronization = true, waitForSynchronization = true } = entry;
  const { keepFullObjectsInMemory = true, allowFailure = false, queue = 'main' } = entry;
  return {
    name: kubernetesName(entry),
    executeHookOnSynchronization,
    waitForSynchronization,
    keepFullObjectsInMemory,
    allowFailure,
    queue,
  };
}

function createShape(checkFilter: CheckFilter) {
  const readEvents = readList(readWord(WATCH_EVENTS));
  return {
    name: readLabel,
    kind: readName,
    apiVersion: readApiVersion,
    executeHookOnEvent: readEvents,
    watchEvent: readEvents,
    executeHookOnSynchronization: readFlag,
    waitForSynchronization: readFlag,
    keepFullObjectsInMemory: readFlag,
    jqFilter: createFilterReader('jq', checkFilter),
    jsonPathFilter: createFilterReader('jsonPath', checkFilter),
    nameSelector: readNameSelector,
    labelSelector: readLabelSelector,
    fieldSelector: readFieldSelector,
    namespace: readNamespace,
    allowFailure: readFlag,
    queue: readLabel,
    group: readLabel,
    includeSnapshotsFrom: readList(readText, 1),
    resynchronizationPeriod: readPeriod,
    retry: readRetry,
    concurrency: readWord({ byObject: 'byObject' } as const),
    parallelism: readParallelism,
    settle: readSettle,
    shard: readWord(SHARDS),
    lock: readLock,
  };
}

const A_VERSION = 'a version such as v1 or apps/v1';

/** A group and version, such as `apps/v1`. */
export const readApiVersion: Read<string> = (value, place) => {
  const isUsable = typeof value === 'string' && /^(?:[^/\s]+(?:\/[^/\s]+)?)?$/.test(value);
  if (typeof value !== 'string') return reportType(place, value, { type: 'string', expected: A_VERSION });
  if (!isUsable) return reportValue(place, value, A_VERSION, 'apiVersion is invalid');
  const problem = value === '' ? undefined : value.split('/').map(pathSegmentProblem).find(isProblem);
  return problem === undefined ? value || undefined : report(place, `got ${shown(value)}, of which a part ${problem}`);
};

const MAX_PROBLEM = 300;

function isProblem(problem: string | undefined): problem is string {
  return problem !== undefined;
}

/** Creates the reader of a filter, which checks that it compiles. */
export function createFilterReader(type: Filter['type'], checkFilter: CheckFilter): Read<Filter> {
  return (value, place) => {
    const expression = readOptionalText(value, place);
    if (expression === undefined) return undefined;
    const filter: Filter = { type, expression };
    const problem = checkFilter(filter);
    if (problem !== undefined) {
      const what = type === 'jq' ? 'compile jqFilter: ' : '';
      report(place, `got ${shown(expression)}: ${what}${shownText(problem, MAX_PROBLEM)}`);
    }
    return filter;
  };
}

/** How often to list again; what is no duration has no effect, as nothing has in shell-operator. */
const readPeriod: Read<number> = (value, place) => {
  const text = readText(value, place);
  const days = /^(\d{1,4})d$/.exec(text ?? '')?.[1];
  const periodMs = days === undefined ? parseDuration(text ?? '') : Number(days) * DAY_MS;
  if (periodMs !== undefined && periodMs >= 0) return periodMs;
  if (text !== undefined)
    warn(
      place,
      `got ${shown(text)}, which has no effect: expected a Go duration such as "1h30m", or days such as "1d"`,
    );
  return undefined;
};

const DAY_MS = 86_400_000;
