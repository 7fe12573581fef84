import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { WORKLOAD_PRINTERS } from '../../src/table/workload-printers.ts';
import { line } from './rows.ts';

const template = { metadata: { labels: { x: 'y' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const selector = { matchLabels: { x: 'y' } };
const spec = { replicas: 3, template, selector };

it.each<[string, JsonObject, string]>([
  [
    'pods',
    { spec: { containers: [{}] }, status: { phase: 'Pending' } },
    'a|0/1|Pending|0|10s|<none>|<none>|<none>|<none>',
  ],
  [
    'pods',
    {
      spec: { containers: [{}], nodeName: 'n', readinessGates: [{ conditionType: 'x' }] },
      status: { phase: 'Running', podIPs: [{ ip: '1.2.3.4' }] },
    },
    'a|0/1|Running|0|10s|1.2.3.4|n|<none>|0/1',
  ],
  [
    'deployments.apps',
    { spec, status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 } },
    'a|1/3|2|1|10s|c|i|x=y',
  ],
  ['replicasets.apps', { spec, status: { replicas: 2, readyReplicas: 1 } }, 'a|3|2|1|10s|c|i|x=y'],
  ['replicationcontrollers', { spec: { ...spec, selector: { x: 'y' } } }, 'a|3|0|0|10s|c|i|x=y'],
  ['statefulsets.apps', { spec, status: { readyReplicas: 2 } }, 'a|2/3|10s|c|i'],
  [
    'daemonsets.apps',
    { spec, status: { desiredNumberScheduled: 2, numberReady: 1 } },
    'a|2|0|1|0|0|<none>|10s|c|i|x=y',
  ],
  ['podtemplates', { template }, 'a|c|i|x=y'],
  ['jobs.batch', { spec: { ...spec, completions: 2 }, status: { succeeded: 1 } }, 'a|Running|1/2||10s|c|i|x=y'],
  ['jobs.batch', { spec: { ...spec, parallelism: 4 } }, 'a|Running|0/1 of 4||10s|c|i|x=y'],
  [
    'jobs.batch',
    {
      spec,
      status: {
        startTime: '2025-01-01T00:00:01Z',
        completionTime: '2025-01-01T00:00:04Z',
        conditions: [{ type: 'Complete', status: 'True' }],
      },
    },
    'a|Complete|0/1|3s|10s|c|i|x=y',
  ],
  [
    'cronjobs.batch',
    { spec: { schedule: '* * * * *', suspend: false, jobTemplate: { spec: { template } } }, status: { active: [{}] } },
    'a|* * * * *|<none>|False|1|<none>|10s|c|i|<none>',
  ],
  [
    'controllerrevisions.apps',
    {
      metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 's', controller: true }] },
      revision: 2,
    },
    'a|statefulset.apps/s|2|10s',
  ],
])('%s %#', (collection, object, text) => {
  expect(line(WORKLOAD_PRINTERS[collection], object)).toBe(text);
});
