import { openFilters } from '../../src/filter/filters.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { HookMetrics } from '../../src/effects/hook-metrics.ts';
import { HookOutputError } from '../../src/errors.ts';
import { createMetrics, type Metrics } from '../../src/metrics.ts';
import { createClusterAccess } from '../../src/operator/cluster-access.ts';
import { createEffects } from '../../src/operator/outputs/effects.ts';
import type { Effects } from '../../src/run/attempt.ts';
import { never } from '../support/hook-rig.ts';
import { sandboxCluster } from '../support/operator-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'cm' } };
const lines = (...documents: readonly object[]) => documents.map((document) => JSON.stringify(document)).join('\n');

let sandbox: Sandbox;
let hookMetrics: HookMetrics;
let effects: Effects;
let metrics: Metrics;
const NEVER = new AbortController().signal;
let log: ReturnType<typeof recordingLogger>;

beforeEach(async () => {
  sandbox = await sandboxForTest();
  hookMetrics = new HookMetrics();
  log = recordingLogger();
  const options = { connect: sandboxCluster(sandbox), userAgent: 'test' };
  metrics = createMetrics('');
  const access = await createClusterAccess(options, { log, metrics });
  effects = createEffects({ access, filters: openFilters(), hookMetrics, metrics, log });
});

describe('what a hook wrote', () => {
  it('is read and carried out', async () => {
    const requests = await effects.parse(
      'hook.sh',
      {
        patch: lines(
          { operation: 'Create', object: { ...configMap, data: { a: '1' } } },
          { operation: 'JQPatch', kind: 'ConfigMap', namespace: 'default', name: 'cm', jqFilter: '.data.a = "2"' },
        ),
        metrics: lines({ name: 'backups_total', action: 'add', value: 2 }),
      },
      NEVER,
    );
    const changes: string[] = [];

    await effects.apply(requests.operations, ({ change }) => void changes.push(change), never);
    effects.applyMetrics('hook.sh', requests.metrics);

    expect(changes).toEqual(['created', 'patched']);
    expect((await sandbox.call('GET', '/api/v1/namespaces/default/configmaps/cm')).body).toMatchObject({
      data: { a: '2' },
    });
    expect(hookMetrics.text()).toContain('backups_total{hook="hook.sh"} 2');
  });

  it('is refused whole for one bad patch, with the reason of jq', async () => {
    const patch = lines({ operation: 'JQPatch', kind: 'ConfigMap', namespace: 'default', name: 'cm', jqFilter: '.[' });

    await expect(effects.parse('hook.sh', { patch, metrics: '' }, NEVER)).rejects.toThrow(/jqFilter.*syntax error/s);
  });

  it('counts without a metric that does not fit those there are', async () => {
    const metrics = lines({ name: 'm', action: 'add', value: 1 });
    effects.applyMetrics('hook.sh', (await effects.parse('hook.sh', { patch: '', metrics }, NEVER)).metrics);

    const other = effects.parse(
      'hook.sh',
      { patch: '', metrics: lines({ name: 'm', action: 'set', value: 1 }) },
      NEVER,
    );
    effects.applyMetrics('hook.sh', (await other).metrics);
    expect(hookMetrics.text()).toContain('m{hook="hook.sh"} 1\n');
  });

  it('has its likely mistakes told, whichever file they are in', async () => {
    const { warnings } = await effects.parse(
      'hook.sh',
      {
        patch: lines({ operation: 'Create', object: configMap, colour: 'red' }),
        metrics: lines({ name: 'm', action: 'add', value: 1, colour: 'red' }),
      },
      NEVER,
    );

    expect(warnings).toHaveLength(2);
  });

  it('has its result read beside the contexts of the run, and likely mistakes in it told', async () => {
    const text = JSON.stringify({ status: { a: 1 }, retryAfter: '1s' });
    const scope = { contexts: [{ isReconcile: false }] };

    const { result, warnings } = await effects.parseResult(text, scope, NEVER);

    expect(result).toMatchObject({ status: { a: 1 }, retryAfterMs: 1000 });
    expect(warnings).toEqual([
      expect.stringMatching(/^RESULT_PATH, document 1, line 1: conditions and status have no/),
    ]);
    await expect(effects.parseResult('{"finalized": true}', scope, NEVER)).rejects.toThrow(HookOutputError);
  });

  it('has its metrics count after a failure only where they say ignoreHookError', async () => {
    const metrics = lines({ name: 'a', action: 'add', value: 1 }, { name: 'b', add: 1, ignoreHookError: true });

    expect(await effects.parseAfterFailure.metrics(metrics, NEVER)).toMatchObject([{ name: 'b' }]);
  });

  it('counts after a failure only where it says ignoreHookError', async () => {
    const status = { subresource: 'status', mergePatch: { status: { a: 1 } }, ignoreHookError: true };
    const target = { operation: 'MergePatch', kind: 'ConfigMap', namespace: 'default', name: 'cm' };
    const patch = lines({ ...target, mergePatch: { data: { a: '1' } } }, { ...target, ...status });

    expect(await effects.parseAfterFailure.patch(patch, NEVER)).toMatchObject([{ subresource: 'status' }]);
  });

  it('leaves out metrics beyond the limits, with a line in the log of the hook and a count', async () => {
    const labels = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`l${n}`, 'v']));
    const written = lines({ name: 'many', set: 1, labels }, { name: 'few', set: 1 });

    effects.applyMetrics('hook.sh', (await effects.parse('hook.sh', { patch: '', metrics: written }, NEVER)).metrics);

    expect(hookMetrics.text()).toContain('few{hook="hook.sh"} 1');
    expect(hookMetrics.text()).not.toContain('many');
    expect(log.lines).toMatchObject([
      { level: 'warn', fields: { hook: 'hook.sh', count: 1, reason: 'it has 101 labels, at most 64 are kept' } },
    ]);
    expect(metrics.text()).toContain('hook_metric_operations_dropped_total{hook="hook.sh"} 1\n');
  });
});
