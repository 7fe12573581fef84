import { at, objectAt, objectsAt, stringMapAt, textAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import { labelsOf, nameOf } from '../object-meta.ts';
import { age, condition, count, NONE, scalarOr, size, textOr } from './cells.ts';
import { ageOf } from './human-duration.ts';
import { printer, type Printer } from './printer.ts';

const EVENT = printer(
  'Last Seen, Type, Reason, Object, Subobject+, Source+, Message, First Seen+, Count+, Name+',
  (event, now) => {
    const seen = eventTimes(event, now);
    const involved = objectAt(event, 'involvedObject');
    const name = textAt(involved, 'name');
    return [
      seen.last,
      textAt(event, 'type'),
      textAt(event, 'reason'),
      `${textAt(involved, 'kind').toLowerCase()}${name === '' ? '' : `/${name}`}`,
      textAt(involved, 'fieldPath'),
      eventSource(event),
      textAt(event, 'message').trim(),
      seen.first,
      eventCount(event),
      nameOf(event),
    ];
  },
);

/** The printers of the core group's kinds that no other table has. */
export const CORE_PRINTERS: { readonly [collection: string]: Printer } = {
  configmaps: printer('Name, Data, Age', (map, now) => [
    nameOf(map),
    size(map, 'data') + size(map, 'binaryData'),
    age(map, now),
  ]),
  secrets: printer('Name, Type, Data, Age', (secret, now) => [
    nameOf(secret),
    textAt(secret, 'type'),
    size(secret, 'data'),
    age(secret, now),
  ]),
  namespaces: printer('Name, Status, Age', (object, now) => [
    nameOf(object),
    textAt(object, 'status', 'phase'),
    age(object, now),
  ]),
  events: EVENT,
  nodes: printer(
    'Name, Status, Roles, Age, Version, Internal-IP+, External-IP+, OS-Image+, Kernel-Version+, Container-Runtime+',
    (node, now) => [
      nameOf(node),
      nodeStatus(node),
      nodeRoles(node),
      age(node, now),
      textAt(node, 'status', 'nodeInfo', 'kubeletVersion'),
      nodeAddress(node, 'InternalIP'),
      nodeAddress(node, 'ExternalIP'),
      textOr('<unknown>', node, 'status', 'nodeInfo', 'osImage'),
      textOr('<unknown>', node, 'status', 'nodeInfo', 'kernelVersion'),
      textOr('<unknown>', node, 'status', 'nodeInfo', 'containerRuntimeVersion'),
    ],
  ),
  resourcequotas: printer('Name, Request, Limit, Age', (quota, now) => [
    nameOf(quota),
    quotaText(quota, false),
    quotaText(quota, true),
    age(quota, now),
  ]),
};

function eventTimes(event: JsonObject, now: number): { readonly first: string; readonly last: string } {
  const first = ageOf(at(event, 'firstTimestamp') ?? at(event, 'eventTime'), now);
  const series = at(event, 'series', 'lastObservedTime') ?? at(event, 'lastTimestamp');
  return { first, last: series === undefined || series === null ? first : ageOf(series, now) };
}

function eventCount(event: JsonObject): number {
  if (at(event, 'series') !== undefined) return count(event, 'series', 'count');
  return Math.max(count(event, 'count'), 1);
}

function eventSource(event: JsonObject): string {
  const component = textAt(event, 'source', 'component') || textAt(event, 'reportingComponent');
  const host = textAt(event, 'source', 'host') || textAt(event, 'reportingInstance');
  return host === '' ? component : `${component}, ${host}`;
}

function nodeStatus(node: JsonObject): string {
  const ready = textAt(condition(node, 'Ready'), 'status');
  const status = ready === '' ? 'Unknown' : ready === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec', 'unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function nodeRoles(node: JsonObject): string {
  const roles = stringMapAt(labelsOf(node)).map(([name, value]) =>
    name.startsWith(ROLE_PREFIX) ? name.slice(ROLE_PREFIX.length) : name === 'kubernetes.io/role' ? value : '',
  );
  return (
    [...new Set(roles)]
      .filter((role) => role !== '')
      .toSorted()
      .join(',') || NONE
  );
}

function nodeAddress(node: JsonObject, type: string): string {
  const found = objectsAt(node, 'status', 'addresses').find((address) => textAt(address, 'type') === type);
  return textOr(NONE, found, 'address');
}

function quotaText(quota: JsonObject, limits: boolean): string {
  const hard = objectAt(quota, 'status', 'hard');
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === limits)
    .toSorted()
    .map((name) => `${name}: ${scalarOr('0', quota, 'status', 'used', name)}/${scalarOr('0', hard, name)}`)
    .join(', ');
}
