import { openFilters } from '../../src/filter/filters.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { HookMetrics } from '../../src/effects/hook-metrics.ts';
import { HookOutputError } from '../../src/errors.ts';
import { createMetrics } from '../../src/metrics.ts';
import { createClusterAccess } from '../../src/operator/cluster-access.ts';
import { createEffects, type Effects } from '../../src/operator/effects.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { never } from '../support/hook-rig.ts';
import { sandboxCluster } from '../support/operator-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { sandboxForTest } from '../support/sandbox.ts';

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'cm' } };
const lines = (...documents: readonly object[]) => documents.map((document) => JSON.stringify(document)).join('\n');

let sandbox: Sandbox;
let hookMetrics: HookMetrics;
let effects: Effects;

beforeEach(async () => {
  sandbox = await sandboxForTest();
  hookMetrics = new HookMetrics();
  const log = recordingLogger();
  const options = { connect: sandboxCluster(sandbox), userAgent: 'test' };
  const access = await createClusterAccess(options, { log, metrics: createMetrics('') });
  effects = createEffects({ access, filters: openFilters(), hookMetrics, log });
});

describe('what a hook wrote', () => {
  it('is read and carried out', async () => {
    const requests = effects.parse('hook.sh', {
      patch: lines(
        { operation: 'Create', object: { ...configMap, data: { a: '1' } } },
        { operation: 'JQPatch', kind: 'ConfigMap', namespace: 'default', name: 'cm', jqFilter: '.data.a = "2"' },
      ),
      metrics: lines({ name: 'backups_total', action: 'add', value: 2 }),
    });
    const changes: string[] = [];

    await effects.apply(requests.operations, ({ change }) => void changes.push(change), never);
    effects.applyMetrics('hook.sh', requests.metrics);

    expect(changes).toEqual(['created', 'patched']);
    expect((await sandbox.call('GET', '/api/v1/namespaces/default/configmaps/cm')).body).toMatchObject({
      data: { a: '2' },
    });
    expect(hookMetrics.text()).toContain('backups_total{hook="hook.sh"} 2');
  });

  it('is refused whole for one bad patch, with the reason of jq', () => {
    const patch = lines({ operation: 'JQPatch', kind: 'ConfigMap', namespace: 'default', name: 'cm', jqFilter: '.[' });

    expect(() => effects.parse('hook.sh', { patch, metrics: '' })).toThrow(/jqFilter.*syntax error/s);
  });

  it('is refused whole for a metric that does not fit those there are', () => {
    const metrics = lines({ name: 'm', action: 'add', value: 1 });
    effects.applyMetrics('hook.sh', effects.parse('hook.sh', { patch: '', metrics }).metrics);

    expect(() =>
      effects.parse('hook.sh', { patch: '', metrics: lines({ name: 'm', action: 'set', value: 1 }) }),
    ).toThrow(HookOutputError);
  });

  it('has its likely mistakes told, whichever file they are in', () => {
    const { warnings } = effects.parse('hook.sh', {
      patch: lines({ operation: 'Create', object: configMap, colour: 'red' }),
      metrics: lines({ name: 'm', action: 'add', value: 1, colour: 'red' }),
    });

    expect(warnings).toHaveLength(2);
  });

  it('has its metrics count after a failure only where they say ignoreHookError', () => {
    const metrics = lines({ name: 'a', action: 'add', value: 1 }, { name: 'b', add: 1, ignoreHookError: true });

    expect(effects.parseAfterFailure.metrics(metrics)).toMatchObject([{ name: 'b' }]);
  });

  it('counts after a failure only where it says ignoreHookError', () => {
    const status = { subresource: 'status', mergePatch: { status: { a: 1 } }, ignoreHookError: true };
    const target = { operation: 'MergePatch', kind: 'ConfigMap', namespace: 'default', name: 'cm' };
    const patch = lines({ ...target, mergePatch: { data: { a: '1' } } }, { ...target, ...status });

    expect(effects.parseAfterFailure.patch(patch).map(({ subresource }) => subresource)).toEqual(['status']);
  });
});
