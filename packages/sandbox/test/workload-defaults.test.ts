import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../src/json.ts';
import {
  cronJobDefaults,
  daemonSetDefaults,
  deploymentDefaults,
  jobDefaults,
  statefulSetDefaults,
  templated,
  withStartStatus,
} from '../src/workload-defaults.ts';

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

function workload(spec: JsonObject = {}): JsonObject {
  return { metadata: { name: 'w', uid: 'u' }, spec: { template, ...spec } };
}

describe('workloads', () => {
  it('a Deployment', () => {
    expect(deploymentDefaults(workload(), undefined)).toMatchObject({
      spec: {
        replicas: 1,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        template: { spec: { restartPolicy: 'Always' } },
      },
      status: {},
    });
  });

  it('a Deployment that recreates has no rolling update', () => {
    const deployment = deploymentDefaults(workload({ strategy: { type: 'Recreate' } }), undefined);

    expect(deployment).toMatchObject({ spec: { strategy: { type: 'Recreate' } } });
    expect(JSON.stringify(deployment)).not.toContain('rollingUpdate');
  });

  it('a StatefulSet and a DaemonSet', () => {
    expect(statefulSetDefaults(workload(), undefined)).toMatchObject({ spec: { podManagementPolicy: 'OrderedReady' } });
    expect(daemonSetDefaults(workload(), undefined)).toMatchObject({ status: { desiredNumberScheduled: 0 } });
  });

  it('a Job selects its pods by its uid', () => {
    expect(jobDefaults(workload(), undefined)).toMatchObject({
      metadata: { labels: { 'job-name': 'w' } },
      spec: {
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
        template: { metadata: { labels: { a: 'b', 'controller-uid': 'u' } } },
        backoffLimit: 6,
      },
    });
  });

  it('a CronJob', () => {
    expect(cronJobDefaults(workload({ jobTemplate: { spec: { template } } }), undefined)).toMatchObject({
      spec: {
        concurrencyPolicy: 'Allow',
        jobTemplate: { metadata: {}, spec: { template: { spec: { dnsPolicy: 'ClusterFirst' } } } },
      },
    });
  });

  it('without a template there is none', () => {
    expect(templated({ spec: {} })).toEqual({ spec: {} });
  });

  it('a status that is there stays', () => {
    expect(withStartStatus({ status: { replicas: 3 } }, {}, { replicas: 0 })).toEqual({ status: { replicas: 3 } });
    expect(withStartStatus({ status: { replicas: 3 } }, undefined, { replicas: 0 })).toEqual({
      status: { replicas: 0 },
    });
  });
});
