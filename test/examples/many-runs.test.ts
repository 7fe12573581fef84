import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { objectAt, objectsAt, textAt } from '@hooklet/sandbox/testing';
import { readExecutorsFile } from '../../src/hook/executors-file.ts';
import { rights } from '../operators/kit/rights.ts';
import { examplesDir, readManifests } from '../support/example-rig.ts';

const folder = join(examplesDir, '117-many-runs');
const hooks = join(folder, 'hooks');
const manifests = readManifests(join(folder, 'manifests', 'deploy.yaml'));
const [operator, workers] = manifests.filter(({ kind }) => kind === 'Deployment');

function containerOf(deployment: typeof operator) {
  return objectsAt(deployment, 'spec', 'template', 'spec', 'containers')[0];
}

describe('117-many-runs', () => {
  it('has no right too few, and needs all that it has', { timeout: 300_000 }, async () => {
    expect(await rights({ hooks, manifests, scenarios: [join(folder, 'scenarios')] })).toEqual([]);
  });

  it('has its runs executed by workers of the same image, which find the operator and have no other token', () => {
    const pod = objectAt(workers, 'spec', 'template', 'spec');
    const service = manifests.find(({ kind }) => kind === 'Service');
    const host = `${textAt(service, 'metadata', 'name')}.${textAt(service, 'metadata', 'namespace')}.svc`;

    expect(readExecutorsFile(hooks)('certificates.sh')).toEqual({ rule: { type: 'workers', pool: 'default' } });
    expect(containerOf(workers)?.['image']).toBe(containerOf(operator)?.['image']);
    expect(containerOf(workers)?.['args']).toEqual(
      expect.arrayContaining(['work', '--operator', `https://${host}:9682`]),
    );
    expect(pod).toMatchObject({ serviceAccountName: 'hooklet-workers', automountServiceAccountToken: false });
    expect(manifests.filter((one) => JSON.stringify(one['subjects'] ?? []).includes('workers'))).toEqual([]);
  });

  it('has a Service that leads to the operator alone', () => {
    const service = manifests.find(({ kind }) => kind === 'Service');
    const selected = [operator, workers].filter((one) => {
      const labels = objectAt(one, 'spec', 'template', 'metadata', 'labels');
      return Object.entries(objectAt(service, 'spec', 'selector')).every(([key, value]) => labels[key] === value);
    });

    expect(selected).toEqual([operator]);
  });
});
