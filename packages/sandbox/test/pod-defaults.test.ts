import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../src/json.ts';
import { withPodDefaults, withPodSpecDefaults } from '../src/pod-defaults.ts';

function pod(container: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return withPodDefaults({ spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec } }, undefined);
}

describe('a pod', () => {
  it('is completed as the server does', () => {
    expect(pod()).toEqual({
      spec: {
        containers: [
          {
            name: 'c',
            image: 'i',
            resources: {},
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        securityContext: {},
        schedulerName: 'default-scheduler',
        tolerations: [
          { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
          { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        ],
        priority: 0,
        enableServiceLinks: true,
        preemptionPolicy: 'PreemptLowerPriority',
      },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    });
  });

  it.each([
    ['i', 'Always'],
    ['i:latest', 'Always'],
    ['i:1', 'IfNotPresent'],
    ['registry:5000/i', 'Always'],
    ['i@sha256:abc', 'IfNotPresent'],
  ])('the image %s is pulled %s', (image, imagePullPolicy) => {
    expect(pod({ image })).toMatchObject({ spec: { containers: [{ imagePullPolicy }] } });
  });

  it.each([
    [{}, 'BestEffort'],
    [{ requests: { cpu: '1' } }, 'Burstable'],
    [{ limits: { cpu: '1', memory: '1Gi' } }, 'Guaranteed'],
    [{ requests: { cpu: '1' }, limits: { cpu: '2', memory: '1Gi' } }, 'Burstable'],
  ])('with the resources %j it is %s', (resources, qosClass) => {
    expect(pod({ resources })).toMatchObject({ status: { qosClass } });
  });

  it('what is limited is requested', () => {
    expect(pod({ resources: { limits: { cpu: '1' } } })).toMatchObject({
      spec: { containers: [{ resources: { requests: { cpu: '1' } } }] },
    });
  });

  it('probes, ports and volumes are completed', () => {
    const volumes = [
      { name: 'v', configMap: { name: 'm' } },
      { name: 'e', emptyDir: {} },
    ];
    const livenessProbe = { httpGet: { port: 80 } };

    expect(pod({ livenessProbe, ports: [{ containerPort: 80 }] }, { volumes })['spec']).toMatchObject({
      containers: [
        { livenessProbe: { httpGet: { path: '/', scheme: 'HTTP' }, periodSeconds: 10 }, ports: [{ protocol: 'TCP' }] },
      ],
      volumes: [{ configMap: { defaultMode: 0o644 } }, { emptyDir: {} }],
    });
  });

  it('an address is also the first of the addresses', () => {
    const status = { phase: 'Running', podIP: '1.2.3.4' };

    expect(withPodDefaults({ spec: {}, status }, { spec: {} })['status']).toMatchObject({
      podIPs: [{ ip: '1.2.3.4' }],
    });
  });

  it('a template gets no tolerations', () => {
    expect(withPodSpecDefaults({ containers: [] })).not.toHaveProperty('tolerations');
  });
});
