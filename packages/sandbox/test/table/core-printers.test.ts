import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { CORE_PRINTERS } from '../../src/table/core-printers.ts';
import { line } from './rows.ts';

const event = {
  type: 'Warning',
  reason: 'R',
  message: ' m ',
  involvedObject: { kind: 'Pod', name: 'p', fieldPath: 'f' },
  source: { component: 'c', host: 'h' },
};
const roles = { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/control-plane': '' };

it.each<[string, JsonObject, string]>([
  ['configmaps', { data: { a: '1' }, binaryData: { b: '' } }, 'a|2|10s'],
  ['secrets', { type: 'Opaque', data: { a: '1' } }, 'a|Opaque|1|10s'],
  ['namespaces', { status: { phase: 'Active' } }, 'a|Active|10s'],
  [
    'events',
    { ...event, firstTimestamp: '2025-01-01T00:00:00Z', lastTimestamp: '2025-01-01T00:00:05Z', count: 4 },
    '5s|Warning|R|pod/p|f|c, h|m|10s|4|a',
  ],
  [
    'events',
    { ...event, lastTimestamp: null, eventTime: '2025-01-01T00:00:03.000000Z' },
    '7s|Warning|R|pod/p|f|c, h|m|7s|1|a',
  ],
  [
    'events',
    { ...event, series: { count: 9, lastObservedTime: '2025-01-01T00:00:09.000000Z' } },
    '1s|Warning|R|pod/p|f|c, h|m|<unknown>|9|a',
  ],
  [
    'nodes',
    {
      metadata: { labels: roles },
      spec: { unschedulable: true },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    },
    'a|Ready,SchedulingDisabled|control-plane,worker|10s||<none>|<none>|<unknown>|<unknown>|<unknown>',
  ],
  ['nodes', {}, 'a|Unknown|<none>|10s||<none>|<none>|<unknown>|<unknown>|<unknown>'],
  [
    'resourcequotas',
    { status: { hard: { pods: '5', 'limits.cpu': '2' }, used: { pods: '1' } } },
    'a|pods: 1/5|limits.cpu: 0/2|10s',
  ],
])('%s %#', (collection, object, text) => {
  expect(line(CORE_PRINTERS[collection], object)).toBe(text);
});
