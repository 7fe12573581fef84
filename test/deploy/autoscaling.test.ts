import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandboxForTest, objectAt, objectsAt, textAt } from '@hooklet/sandbox/testing';
import { readManifests } from '../support/example-rig.ts';

const deploy = join(import.meta.dirname, '..', '..', 'deploy');
const read = (...path: readonly string[]) => readManifests(join(deploy, ...path))[0] ?? {};
const deployment = read('components', 'workers', 'deployment.yaml');
const scaled = read('autoscaling', 'keda.yaml');
const scaler = read('autoscaling', 'hpa.yaml');

describe('deploy/autoscaling', () => {
  it('scales the workers of components/workers, whose manifest says no number', () => {
    const name = textAt(deployment, 'metadata', 'name');

    expect([scaled, scaler].map((one) => textAt(one, 'spec', 'scaleTargetRef', 'name'))).toEqual([name, name]);
    expect([scaled, scaler].map((one) => textAt(one, 'metadata', 'namespace'))).toEqual(['hooklet', 'hooklet']);
    expect(objectAt(deployment, 'spec')).not.toHaveProperty('replicas');
  });

  it('has a HorizontalPodAutoscaler that an API server takes, and that asks for the metric of the rule', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hooklet' } });
    await sandbox.apply(scaler);

    const [rule] = objectsAt(read('autoscaling', 'prometheus-adapter.yaml'), 'rules', 'external');
    const [metric] = objectsAt(scaler, 'spec', 'metrics');
    expect(textAt(metric, 'external', 'metric', 'name')).toBe(textAt(rule, 'name', 'as'));
  });

  it('asks by KEDA and by the HorizontalPodAutoscaler for the same share of work', () => {
    const [trigger] = objectsAt(scaled, 'spec', 'triggers');
    const [metric] = objectsAt(scaler, 'spec', 'metrics');
    const milli = Number(textAt(metric, 'external', 'target', 'averageValue').replace('m', ''));

    expect(Number(textAt(trigger, 'metadata', 'threshold')) * 1000).toBe(milli);
  });
});
