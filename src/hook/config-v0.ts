import { shown } from '../lib/shown.ts';
import { isObject } from '../lib/json-object.ts';
import type { Binding, KubernetesBinding, ScheduleBinding, WatchEvent } from './binding.ts';
import { createFilterReader, type CheckFilter } from './config-kubernetes.ts';
import {
  inside,
  present,
  readFields,
  readFlag,
  readInteger,
  readLabel,
  readList,
  readName,
  report,
  reportType,
  type Fields,
  type Place,
  type Read,
  type Shape,
  type ShapeRules,
} from './config-reader.ts';
import { readScheduleEntry, toScheduleBinding, type ScheduleEntry } from './config-schedule.ts';
import { readLabelSelector, readMatchNames } from './config-selector.ts';

/**
 * Reads a config without `configVersion`, the first format of shell-operator. It becomes the same bindings as any other,
 * with `format: v0`: all in the queue `main`, without a Synchronization, never combined, and with contexts of that format.
 *
 * What must hold: unknown fields of an entry are ignored, as shell-operator ignores them; those beside the bindings are
 * problems.
 */
export function readConfigV0(
  value: Readonly<Record<string, unknown>>,
  checkFilter: CheckFilter,
  place: Place,
): readonly Binding[] {
  const before = place.issues.length;
  const {
    onStartup,
    schedule = [],
    onKubernetesEvent = [],
  } = readFields(createShape(checkFilter), { isNonEmpty: true })(value, place);
  if (place.issues.length > before) {
    report(inside(place, 'configVersion'), 'missing, so this is read as the old format; add "configVersion: v1"');
  }
  return [
    ...(onStartup === undefined ? [] : [{ type: 'onStartup', order: onStartup } as const]),
    ...schedule.flatMap(toSchedule),
    ...onKubernetesEvent.flatMap(toKubernetes),
  ];
}

const EVENTS: Readonly<Record<string, WatchEvent>> = { add: 'Added', update: 'Modified', delete: 'Deleted' };

const readEvent: Read<WatchEvent> = (value, place) => {
  const expected = `one of ${Object.keys(EVENTS).join(', ')}`;
  if (typeof value !== 'string') return reportType(place, value, { type: 'string', expected });
  const event = Object.hasOwn(EVENTS, value) ? EVENTS[value] : undefined;
  if (event !== undefined) return event;
  return report(place, `got ${shown(value)}, expected ${expected}`, `event '${value}' is unsupported`);
};

/** An empty string means the same as an absent field. */
const readObjectName: Read<string> = (value, place) => (value === '' ? undefined : readName(value, place));

const readSelector: typeof readLabelSelector = (value, place) =>
  isObject(value) && Object.keys(value).length === 0 ? undefined : readLabelSelector(value, place);

const SCHEDULE_FIELDS: ReadonlySet<string> = new Set(['name', 'crontab', 'allowFailure']);

const readSchedule: Read<ScheduleEntry> = (value, place) =>
  isObject(value) ? readScheduleEntry(only(value, SCHEDULE_FIELDS), place) : readScheduleEntry(value, place);

type EventEntry = Fields<ReturnType<typeof eventShape>>;

function createShape(checkFilter: CheckFilter) {
  const readEntry = readKnown(eventShape(checkFilter), { required: { kind: 'a kind such as Pod' } });
  return {
    onStartup: readInteger,
    schedule: readList(readSchedule),
    onKubernetesEvent: readList<EventEntry>(readEntry),
  };
}

function eventShape(checkFilter: CheckFilter) {
  return {
    name: readLabel,
    event: readList(readEvent),
    kind: readName,
    selector: readSelector,
    objectName: readObjectName,
    namespaceSelector: readKnown({ matchNames: readMatchNames, any: readFlag }),
    jqFilter: createFilterReader('jq', checkFilter),
    allowFailure: readFlag,
  };
}

/** Reads the fields of `shape` and ignores all others. */
function readKnown<S extends Shape>(shape: S, rules?: ShapeRules): (value: unknown, place: Place) => Fields<S> {
  const read = readFields(shape, rules);
  const known = new Set(Object.keys(shape));
  return (value, place) => read(isObject(value) ? only(value, known) : value, place);
}

function only(
  object: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const isGiven = ([key, value]: readonly [string, unknown]): boolean => known.has(key) && value !== null;
  return Object.fromEntries(Object.entries(object).filter(isGiven));
}

function toSchedule(entry: ScheduleEntry): readonly ScheduleBinding[] {
  const binding = toScheduleBinding(entry, []);
  return binding === undefined ? [] : [{ ...binding, format: 'v0' }];
}

function toKubernetes(entry: EventEntry): readonly KubernetesBinding[] {
  const { kind, name = 'onKubernetesEvent', event = [], objectName, namespaceSelector } = entry;
  if (kind === undefined) return [];
  const namespaces = namespaceSelector?.any === true ? undefined : namespaceSelector?.matchNames;
  return [
    {
      type: 'kubernetes',
      format: 'v0',
      name,
      kind,
      executeHookOnEvent: [...new Set(event)],
      executeHookOnSynchronization: false,
      waitForSynchronization: true,
      // The kind of its context is that of the object.
      keepFullObjectsInMemory: true,
      allowFailure: entry.allowFailure ?? false,
      queue: 'main',
      includeSnapshotsFrom: [],
      ...present({
        names: objectName === undefined ? undefined : [objectName],
        labelSelector: entry.selector,
        filter: entry.jqFilter,
        namespace: namespaces === undefined ? undefined : ({ type: 'names', names: namespaces } as const),
      }),
    },
  ];
}
