import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, Sandbox } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { finalizersOf } from '../../src/effects/api-object.ts';
import type { ChildProblem } from '../../src/effects/children/problem.ts';
import { HookFailedError } from '../../src/errors.ts';
import type { ReconcileBinding } from '../../src/hook/binding.ts';
import { finalizerOf } from '../../src/hook/reconcile-mark.ts';
import type { Condition, ContextResult, HookResult } from '../../src/hook/result.ts';
import type { ReconcileTrigger } from '../../src/hook/trigger.ts';
import { asJsonObject, text } from '../../src/kube/object.ts';
import { createMetrics } from '../../src/metrics.ts';
import type { ChildrenDoor } from '../../src/operator/reconcile/children-door.ts';
import { createClusterAccess } from '../../src/operator/cluster-access.ts';
import { createReconciling } from '../../src/operator/reconcile/reconcile-effects.ts';
import { newRun, type RunOutcome } from '../../src/run/run.ts';
import type { ParentFacts } from '../../src/sources/reconcile/part-filters.ts';
import { idleReconciler } from '../support/idle-reconciler.ts';
import { hookWith, reconcileBinding } from '../support/bindings.ts';
import { sandboxCluster } from '../support/operator-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { taskOf } from '../support/unit-rig.ts';

const OTHER = {
  kind: 'Secret',
  apiVersion: 'v1',
  onChange: 'Apply',
  otherNamespaces: true,
  keepFullObjectsInMemory: true,
} as const;
const NONE: ContextResult = { conditions: [], events: [] };
const COST = { durationMs: 1, usage: {} };
const NEVER = new AbortController().signal;
const SITE = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };
const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
  },
};
const DEPLOYMENT_PATH = '/apis/apps/v1/namespaces/default/deployments/a';

function succeeded(result: Partial<HookResult>): RunOutcome {
  return { type: 'succeeded', cost: COST, applied: [], result: { ...NONE, contexts: new Map(), ...result } };
}

/** A run for the ConfigMap `a`, whose facts are read from the sandbox; what the children's door is asked is in `told`. */
async function effectsRig(fields: Partial<ReconcileBinding> = {}, site: JsonObject = SITE) {
  const sandbox: Sandbox = await sandboxForTest();
  const [metrics, log] = [createMetrics(''), recordingLogger()];
  const access = await createClusterAccess({ connect: sandboxCluster(sandbox), userAgent: 'test' }, { log, metrics });
  onTestFinished(async () => access.client.close());
  const binding = reconcileBinding('sites', { kind: 'ConfigMap', apiVersion: 'v1', ...fields });
  const hook = hookWith('site.sh', [binding]);
  const told: string[] = [];
  const problems: ChildProblem[] = [];
  const left: string[] = [];
  const shown: { conditions: readonly Condition[] } = { conditions: [] };
  const letGo: string[] = [];
  let facts: ParentFacts | undefined;
  const children: ChildrenDoor = {
    reach: async ({ desired, parent }) => {
      told.push(`reach ${parent.name}: ${desired.length}`);
      return {
        writes: [],
        problems,
        ready: {
          type: 'Ready',
          status: problems.length === 0 ? 'True' : 'False',
          reason: 'Test',
          message: 'of the children',
        },
        restMs: 0,
        there: [],
      };
    },
    remove: async ({ parent }) => {
      told.push(`remove ${parent.name}`);
      return { writes: [], problems, left };
    },
  };
  const reconciling = createReconciling({
    access,
    children,
    journal: { record: () => {} },
    reconcilerOf: () =>
      idleReconciler(binding, {
        facts: () => facts,
        letGo: ({ name }, uid) => void letGo.push(`${name} ${uid === facts?.uid}`),
        view: () => ({
          object: Buffer.from(JSON.stringify({ status: shown })),
          owned: new Map(),
          watched: new Map(),
          isFinalizing: false,
        }),
      }),
  });
  const read = async (): Promise<JsonObject | undefined> => {
    const path = site === SITE ? '/api/v1/namespaces/default/configmaps/a' : DEPLOYMENT_PATH;
    const found: unknown = await access.client.request({ method: 'GET', path }, NEVER).catch(() => undefined);
    return found === undefined ? undefined : JSON.parse(JSON.stringify(found));
  };
  const see = async (): Promise<void> => {
    const { metadata } = asJsonObject(await read());
    const { uid, deletionTimestamp } = asJsonObject(metadata);
    const isMarked = finalizersOf({ metadata }).includes(finalizerOf(binding));
    facts =
      metadata === undefined ? undefined : { uid: text(uid), isDeleting: deletionTimestamp !== undefined, isMarked };
  };
  await sandbox.apply(site);
  await see();
  const trigger: ReconcileTrigger = { type: 'reconcile', binding, namespace: 'default', name: 'a', reason: 'start' };
  const remove = async (): Promise<void> => {
    await access.client.request({ method: 'DELETE', path: '/api/v1/namespaces/default/configmaps/a' }, NEVER);
    await see();
  };
  return {
    binding,
    told,
    problems,
    left,
    shown,
    letGo,
    reconciling,
    see,
    remove,
    run: () => newRun(taskOf(hook, trigger), 'q'),
    finalizers: async () => finalizersOf(await read()),
    exists: async () => (await read()) !== undefined,
    /** The object is deleted and created anew, with another uid. */
    renew: async () => {
      await remove();
      await sandbox.apply(SITE);
      await see();
    },
    /** Has a run whose hook ends like this. */
    runs: async (outcome: RunOutcome) => {
      const run = newRun(taskOf(hook, trigger), 'q');
      return (await reconciling.prepare(run, NEVER)) ?? reconciling.finish(run, outcome, NEVER);
    },
  };
}

describe('the effects of a reconcile run', () => {
  it('reach what the answer says, and leave all as it is without an answer', async () => {
    const { told, runs } = await effectsRig();

    const outcome = await runs(succeeded({ children: [] }));
    await runs(succeeded({}));
    await runs({ type: 'failed', by: 'hook', error: new Error('no') });
    await runs({ type: 'succeeded', cost: COST, applied: [] });

    expect(outcome).toMatchObject({ type: 'succeeded' });
    expect(told).toEqual(['reach a: 0']);
  });

  it('put the finalizer on before the hook runs, and only where one is needed', async () => {
    const plain = await effectsRig();
    await plain.reconciling.prepare(plain.run(), NEVER);
    expect(await plain.finalizers()).toEqual([]);

    const { binding, reconciling, run, finalizers } = await effectsRig({ finalize: true });

    expect(await reconciling.prepare(run(), NEVER)).toBeUndefined();
    expect(await finalizers()).toEqual([finalizerOf(binding)]);
  });

  it('take the finalizer off when the hook says finalized, and not before', async () => {
    const { told, see, remove, runs, exists } = await effectsRig({ finalize: true, owns: [OTHER] });
    await runs(succeeded({}));
    await see();
    await remove();

    for (const outcome of [
      succeeded({}),
      succeeded({ finalized: false }),
      succeeded({ finalized: true, outcome: 'failed' }),
      { type: 'failed', by: 'hook', error: new Error('no') } as const,
    ]) {
      await runs(outcome);
    }
    expect([await exists(), told]).toEqual([true, []]);
    await runs(succeeded({ finalized: true }));

    expect([await exists(), told]).toEqual([false, ['remove a']]);
  });

  it.each([true, false])('tell when the finalizer is off, where the hook finalizes: %j', async (finalize) => {
    const { remove, see, runs, letGo, exists } = await effectsRig({ finalize, owns: [OTHER] });
    await runs(succeeded({}));
    await see();
    await remove();
    expect(letGo).toEqual([]);

    await runs(succeeded({ finalized: true }));

    expect([await exists(), letGo]).toEqual([false, ['a true']]);
  });

  it('keep the finalizer until no child is left in other namespaces', async () => {
    const { left, see, remove, runs, exists } = await effectsRig({ finalize: true, owns: [OTHER] });
    await runs(succeeded({}));
    await see();
    await remove();
    left.push('Secret/other/copy');

    expect(await runs(succeeded({ finalized: true }))).toMatchObject({ type: 'later', retryAfterMs: 5000 });
    expect(await exists()).toBe(true);
    left.pop();
    expect(await runs(succeeded({ finalized: true }))).toMatchObject({ type: 'succeeded' });
    expect(await exists()).toBe(false);
  });

  it('collect the children in other namespaces without the hook where it does not finalize', async () => {
    const { told, see, remove, reconciling, run, exists, finalizers } = await effectsRig({ owns: [OTHER] });
    await reconciling.prepare(run(), NEVER);
    expect(await finalizers()).toHaveLength(1);
    await see();
    await remove();
    expect(await exists()).toBe(true);

    expect(await reconciling.prepare(run(), NEVER)).toMatchObject({ type: 'succeeded', cost: { durationMs: 0 } });

    expect([await exists(), told]).toEqual([false, ['remove a']]);
  });

  it('write nothing for an object that was deleted or created anew while its run was under way', async () => {
    const { told, reconciling, run, renew, remove } = await effectsRig();
    const [first, second] = [run(), run()];
    await reconciling.prepare(first, NEVER);
    await renew();
    await reconciling.finish(first, succeeded({ children: [] }), NEVER);
    await reconciling.prepare(second, NEVER);
    await remove();
    await reconciling.finish(second, succeeded({ children: [] }), NEVER);

    expect(told).toEqual([]);
    expect(await reconciling.prepare(run(), NEVER)).toMatchObject({ type: 'succeeded' });
  });

  it('fail the run where a child could not be written, by whose fault that is', async () => {
    const { problems, runs } = await effectsRig();
    const outcomeOf = async (type: ChildProblem['type']) => {
      problems.splice(0, 1, { type, child: 'Secret/b', message: 'no' });
      return runs(succeeded({ children: [] }));
    };

    expect(await outcomeOf('invalid')).toMatchObject({ type: 'failed', by: 'output', result: { children: [] } });
    expect(await outcomeOf('forbidden')).toMatchObject({ type: 'failed', by: 'patch' });
    expect(await outcomeOf('lost')).toMatchObject({
      type: 'failed',
      by: 'environment',
      error: { message: '1 problem(s) with children of ConfigMap default/a:\n  Secret/b: no' },
    });
  });

  it('replace a Ready of the hook that is True where a child could not be written, and say it in any other too', async () => {
    const { problems, runs } = await effectsRig({ kind: 'Deployment', apiVersion: 'apps/v1' }, DEPLOYMENT);
    const endOf = async (status: Condition['status']) => {
      const given = { type: 'Ready', status, reason: 'Own', message: 'own' };
      return runs(succeeded({ conditions: [given], children: [] }));
    };
    const ready = (status: string, reason: string, message: string) => ({
      result: { conditions: [{ type: 'Ready', status, reason, message }] },
    });

    expect(await endOf('True')).toMatchObject(ready('True', 'Own', 'own'));
    problems.push({ type: 'forbidden', child: 'Secret/b', message: 'no' });

    expect(await endOf('True')).toMatchObject(ready('False', 'Test', 'of the children'));
    expect(await endOf('False')).toMatchObject(ready('False', 'Own', 'own; of the children'));
    expect(await endOf('Unknown')).toMatchObject(ready('Unknown', 'Own', 'own; of the children'));
  });

  it('do the same to a Ready that the hook gives for the one context by its index', async () => {
    const { problems, runs } = await effectsRig({ kind: 'Deployment', apiVersion: 'apps/v1' }, DEPLOYMENT);
    problems.push({ type: 'forbidden', child: 'Secret/b', message: 'no' });
    const endOf = async (status: Condition['status']) => {
      const given = { type: 'Ready', status, reason: 'Own', message: 'own' };
      const outcome = await runs(
        succeeded({ contexts: new Map([[0, { conditions: [given], events: [], children: [] }]]) }),
      );
      return outcome.type === 'failed' ? outcome.result?.contexts.get(0)?.conditions : outcome;
    };

    expect(await endOf('True')).toMatchObject([{ status: 'False', reason: 'Test', message: 'of the children' }]);
    expect(await endOf('False')).toMatchObject([{ status: 'False', reason: 'Own', message: 'own; of the children' }]);
  });

  it('tell the object of a kind with a status what failed, and take that back at the next success', async () => {
    const { runs, shown } = await effectsRig({ kind: 'Deployment', apiVersion: 'apps/v1' }, DEPLOYMENT);
    const failed = (fields: object = {}): RunOutcome => ({
      type: 'failed',
      by: 'hook',
      error: new HookFailedError('secret output', { ending: { exitCode: 3, timedOut: false } }),
      ...fields,
    });
    const readyOf = async (outcome: RunOutcome) => {
      const ended = await runs(outcome);
      return 'result' in ended ? ended.result?.conditions : undefined;
    };
    const [said, own] = [
      { ...NONE, contexts: new Map(), reason: 'NoQuorum', message: '1 of 3' },
      { ...NONE, contexts: new Map(), conditions: [{ type: 'Ready', status: 'True', reason: 'Mine', message: '' }] },
    ] as const;
    const gaveUp = await readyOf(failed({ isPermanent: true }));

    expect(await readyOf(failed())).toEqual([
      {
        type: 'Ready',
        status: 'False',
        reason: 'HookFailed',
        message: 'the hook failed: exit code 3; ERR_HOOK_FAILED, see the log',
      },
    ]);
    expect(gaveUp).toMatchObject([
      { reason: 'HookGaveUp', message: expect.stringMatching(/^the hook gave up: exit code 3/) },
    ]);
    expect(await readyOf(failed({ result: said }))).toMatchObject([
      { reason: 'NoQuorum', message: 'the hook failed: 1 of 3' },
    ]);
    expect(await readyOf(failed({ by: 'output' }))).toMatchObject([{ reason: 'HookFailed' }]);
    expect(await readyOf(failed({ result: own }))).toEqual(own.conditions);
    expect(await readyOf(failed({ by: 'environment' }))).toBeUndefined();
    expect(await readyOf(succeeded({ contexts: new Map([[0, { ...NONE, outcome: 'failed' }]]) }))).toMatchObject([
      { status: 'False', reason: 'HookFailed' },
    ]);
    expect(await readyOf(succeeded({}))).toEqual([]);
    shown.conditions = gaveUp ?? [];
    expect(await readyOf({ type: 'succeeded', cost: COST, applied: [] })).toMatchObject([
      { type: 'Ready', status: 'True', reason: 'HookSucceeded' },
    ]);
  });

  it('tell an object of a kind without a status nothing of a failure', async () => {
    const { runs } = await effectsRig();
    const failed = { type: 'failed', by: 'hook', error: new Error('no') } as const;

    expect(await runs(failed)).toEqual(failed);
  });
});
