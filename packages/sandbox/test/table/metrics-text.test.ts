import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { horizontalPodAutoscalerMetrics } from '../../src/table/metrics-text.ts';

const cpu = { type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 80 } } };
const usage = { resource: { current: { averageUtilization: 12 } } };

it.each<[readonly JsonObject[], readonly JsonObject[], string]>([
  [[], [], '<none>'],
  [[cpu], [], 'cpu: <unknown>/80%'],
  [[cpu], [usage], 'cpu: 12%/80%'],
  [[{ type: 'Resource', resource: { name: 'cpu', target: { averageValue: '1' } } }], [], 'cpu: <unknown>/1'],
  [[{ type: 'Pods', pods: { target: { averageValue: '3' } } }], [{ pods: { current: { averageValue: '2' } } }], '2/3'],
  [[{ type: 'External', external: { target: { averageValue: '3' } } }], [], '<unknown>/3 (avg)'],
  [[{ type: 'Object', object: { target: { value: '3' } } }], [], '<unknown>/3'],
  [[{ type: 'New' }, cpu, cpu], [], '<unknown type>, cpu: <unknown>/80% + 1 more...'],
])('metrics %j with %j are %s', (metrics, currentMetrics, text) => {
  expect(horizontalPodAutoscalerMetrics({ spec: { metrics }, status: { currentMetrics } })).toBe(text);
});
