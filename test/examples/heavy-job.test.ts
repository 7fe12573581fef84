import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { objectsAt, textAt } from '@hooklet/sandbox/testing';
import { readExecutorsFile } from '../../src/hook/executors-file.ts';
import type { JobRule } from '../../src/hook/job-rule.ts';
import { rights } from '../operators/kit/rights.ts';
import { examplesDir, readManifests } from '../support/example-rig.ts';

const folder = join(examplesDir, '116-heavy-job');
const hooks = join(folder, 'hooks');
const manifests = readManifests(join(folder, 'manifests', 'deploy.yaml'));

function ruleOf(hook: string): JobRule {
  const found = readExecutorsFile(hooks)(hook);
  if (found === undefined || 'issues' in found) throw new Error(`${hook}: ${JSON.stringify(found)}`);
  if (found.rule.type !== 'job') throw new Error(`${hook}: ${found.rule.type}`);
  return found.rule;
}

describe('116-heavy-job', () => {
  it('has no right too few, and needs all that it has', { timeout: 300_000 }, async () => {
    // Its rules name objects; what hooks write is asked for without.
    const unnamed = manifests.map((object) =>
      object['rules'] === undefined
        ? object
        : { ...object, rules: objectsAt(object, 'rules').map((rule) => ({ ...rule, resourceNames: [] })) },
    );

    expect(await rights({ hooks, manifests: unnamed, scenarios: [join(folder, 'scenarios')] })).toEqual([]);
  });

  it('gives the memory of the drill to its Job, and mounts a claim that is there', () => {
    const { resources, template } = ruleOf('restore-drill.sh');
    const deployment = manifests.find(({ kind }) => kind === 'Deployment');
    const [operator] = objectsAt(deployment, 'spec', 'template', 'spec', 'containers');
    const claims = manifests.filter(({ kind }) => kind === 'PersistentVolumeClaim');
    const mounted = JSON.stringify(template).match(/(?<="claimName":")[^"]+/g);

    expect(resources).toMatchObject({ limits: { memory: '4Gi' } });
    expect(textAt(operator, 'resources', 'limits', 'memory')).toBe('256Mi');
    expect(mounted).toEqual(claims.map((claim) => textAt(claim, 'metadata', 'name')));
  });
});
