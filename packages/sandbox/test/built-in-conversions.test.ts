import { describe, expect, it } from 'vitest';
import { sandboxForTest } from './support/sandbox.ts';

describe('kinds whose versions differ', () => {
  it('an event of core/v1 is the same event in events.k8s.io/v1', async () => {
    const sandbox = await sandboxForTest();
    const involvedObject = { kind: 'Pod', name: 'p', namespace: 'default' };
    await sandbox.apply({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e' },
      involvedObject,
      reason: 'R',
      message: 'M',
    });

    const { body } = await sandbox.call('GET', '/apis/events.k8s.io/v1/namespaces/default/events/e');

    expect(body).toMatchObject({ apiVersion: 'events.k8s.io/v1', regarding: involvedObject, reason: 'R', note: 'M' });
  });

  it('an event of events.k8s.io/v1 is found by the fields of core/v1', async () => {
    const sandbox = await sandboxForTest();
    const regarding = { kind: 'Pod', name: 'p', namespace: 'default' };
    await sandbox.apply({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'e' },
      regarding,
      note: 'M',
    });

    const { body } = await sandbox.call('GET', '/api/v1/events?fieldSelector=involvedObject.name%3Dp');

    expect(body).toMatchObject({ items: [{ involvedObject: regarding, message: 'M' }] });
  });

  it('the CPU target of an autoscaler of v1 is a metric in v2, and back', async () => {
    const sandbox = await sandboxForTest();
    const spec = {
      maxReplicas: 3,
      scaleTargetRef: { kind: 'Deployment', name: 'd' },
      targetCPUUtilizationPercentage: 55,
    };
    await sandbox.apply({
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec,
    });
    const path = (version: string): string =>
      `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/h`;

    expect((await sandbox.call('GET', path('v2'))).body).toMatchObject({
      spec: { metrics: [{ resource: { name: 'cpu', target: { averageUtilization: 55 } } }] },
    });
    expect((await sandbox.call('GET', path('v1'))).body).toMatchObject({ spec });
  });
});
