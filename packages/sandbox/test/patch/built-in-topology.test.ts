import { describe, expect, it } from 'vitest';
import { builtInTopology, isBuiltInGroup } from '../../src/patch/built-in-topology.ts';
import { memberOf } from '../../src/patch/topology.ts';

function at(kind: string, group: string, path: readonly string[]): ReturnType<typeof memberOf> {
  const root: ReturnType<typeof memberOf> = builtInTopology({ group, version: 'v1', kind });
  return path.reduce(memberOf, root);
}

describe('the table of built-in kinds', () => {
  it.each<readonly [string, string, string, unknown]>([
    ['Pod', '', 'spec.containers', { keys: ['name'], mergeKey: 'name' }],
    ['Deployment', 'apps', 'spec.template.spec.volumes', { keys: ['name'], mergeKey: 'name' }],
    ['CronJob', 'batch', 'spec.jobTemplate.spec.template.spec.containers', { keys: ['name'] }],
    ['Service', '', 'spec.ports', { keys: ['port', 'protocol'], mergeKey: 'port' }],
    ['Service', '', 'spec.selector', { type: 'atomic' }],
    ['ConfigMap', '', 'metadata.finalizers', { relation: 'set', mergeKey: '' }],
    ['Deployment', 'apps', 'status.conditions', { keys: ['type'] }],
    ['ConfigMap', '', 'data', { type: 'object', others: 'map' }],
  ])('%s.%s %s', (kind, group, path, expected) => {
    expect(at(kind, group, path.split('.'))).toMatchObject(Object(expected));
  });

  it('ends where custom resources begin', () => {
    expect(isBuiltInGroup('apps')).toBe(true);
    expect(isBuiltInGroup('gateway.networking.k8s.io')).toBe(false);
  });
});
