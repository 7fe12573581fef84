import { describe, expect, it } from 'vitest';
import type { Hook } from '../../src/hook/binding.ts';
import type { ExecutorRule } from '../../src/hook/executor-rule.ts';
import { hookletNeeds, type HookletFeatures } from '../../src/rights/hooklet-needs.ts';
import { rulesOf } from '../../src/rights/rules.ts';
import { workerPools } from '../../src/rights/worker-needs.ts';
import { hookWith, onStartupBinding } from '../support/bindings.ts';

const FEATURES: HookletFeatures = {
  namespace: 'hooklet',
  pauseByNamespace: false,
  webhookConfiguration: 'hooks',
  jobsCertificate: 'hooklet-jobs-certs',
};
const JOB: ExecutorRule = { type: 'job', agent: 'image', isSuspended: false, startTimeoutMs: 1, keepFailedMs: 0 };
const WORKERS: ExecutorRule = { type: 'workers', pool: 'default' };

function hook(name: string, executor?: ExecutorRule): Hook {
  return { ...hookWith(name, [onStartupBinding]), settings: executor === undefined ? {} : { executor } };
}

/** Each rule but that to write Events, with its reasons. */
function rulesFor(...hooks: readonly Hook[]) {
  return rulesOf(
    hookletNeeds(hooks, FEATURES).filter(({ resource, verb }) => resource !== 'events' || verb === 'list'),
  );
}

describe('what hooklet needs for hooks whose runs workers execute', () => {
  it('is to be asked, and nothing of Jobs and Pods', () => {
    const rules = rulesFor(hook('a.sh', WORKERS), hook('b.sh', { ...WORKERS, pool: 'gpu' }), hook('c.sh'));

    expect(
      rules.map(({ namespace, resource, verbs, names }) =>
        [`${namespace || '*'} ${resource}: ${verbs.join(' ')}`, ...names].join(', '),
      ),
    ).toEqual([
      '* tokenreviews: create',
      'hooklet secrets: create',
      'hooklet secrets: get list watch patch, hooklet-jobs-certs',
    ]);
    expect(rules.flatMap(({ reasons }) => reasons.map(({ text }) => text))).toContain('hooklet: workers show a token');
  });

  it('is nothing more beside Jobs, which need the same port', () => {
    const granted = (...hooks: readonly Hook[]) =>
      rulesFor(...hooks).map(({ resource, verbs, names }) => ({ resource, verbs, names }));

    expect(granted(hook('a.sh', JOB), hook('b.sh', WORKERS))).toEqual(granted(hook('a.sh', JOB)));
  });
});

describe('the pools of hooks', () => {
  it('are each told once, and those of no worker not', () => {
    const gpu: ExecutorRule = { type: 'workers', pool: 'gpu' };

    expect(workerPools([hook('a.sh', gpu), hook('b.sh', WORKERS), hook('c.sh', gpu)])).toEqual(['default', 'gpu']);
    expect(workerPools([hook('a.sh', JOB), hook('b.sh')])).toEqual([]);
  });
});
