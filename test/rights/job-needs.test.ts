import { describe, expect, it } from 'vitest';
import type { Hook } from '../../src/hook/binding.ts';
import type { JobRule } from '../../src/hook/job-rule.ts';
import { hookletNeeds, type HookletFeatures } from '../../src/rights/hooklet-needs.ts';
import { rulesOf } from '../../src/rights/rules.ts';
import { hookWith, onStartupBinding } from '../support/bindings.ts';

const FEATURES: HookletFeatures = {
  namespace: 'hooklet',
  pauseByNamespace: false,
  webhookConfiguration: 'hooks',
  jobsCertificate: 'hooklet-jobs-certs',
};
const JOB: JobRule = { type: 'job', agent: 'image', isSuspended: false, startTimeoutMs: 1, keepFailedMs: 0 };

function hook(name: string, executor?: JobRule): Hook {
  return { ...hookWith(name, [onStartupBinding]), settings: executor === undefined ? {} : { executor } };
}

/** Each rule but that to write Events as `place resource: verbs names`. */
function rulesFor(...hooks: readonly Hook[]): readonly string[] {
  const needs = hookletNeeds(hooks, FEATURES).filter(({ reason }) => !reason.startsWith('Events about its own Pod'));
  return rulesOf(needs).map(({ namespace, resource, verbs, names, isOptional }) =>
    [`${namespace || '*'} ${resource}: ${verbs.join(' ')}`, ...names, ...(isOptional ? ['optional'] : [])].join(', '),
  );
}

const ASKING = [
  '* tokenreviews: create',
  'hooklet secrets: create',
  'hooklet secrets: get list watch patch, hooklet-jobs-certs',
];
const OWNER = ['hooklet deployments: get, optional', 'hooklet replicasets: get, optional'];
const RUNS = ['pods: get list watch', 'jobs: get list watch create patch delete', 'events: list, optional'];

describe('what hooklet needs for hooks whose runs are Jobs', () => {
  it('is nothing where there are none', () => {
    expect(rulesFor(hook('a.sh'))).toEqual([]);
  });

  it('is to make Jobs, to see their Pods and to be asked by them, in its own namespace', () => {
    const rules = rulesFor(hook('a.sh', JOB), hook('b.sh'));

    expect(rules.toSorted()).toEqual([...ASKING, ...OWNER, ...RUNS.map((rule) => `hooklet ${rule}`)].toSorted());
  });

  it('is to make them in the namespace that the hook names, and to see its own Pod', () => {
    const rules = rulesFor(hook('a.sh', { ...JOB, namespace: 'heavy' }));

    const runs = ['hooklet pods: get', ...RUNS.map((rule) => `heavy ${rule}`)];
    expect(rules.toSorted()).toEqual([...ASKING, ...OWNER, ...runs].toSorted());
  });

  it('is also to read the log of an image that knows nothing of hooklet', () => {
    const foreign: JobRule = { ...JOB, agent: 'sidecar', image: 'postgres:17' };

    expect(rulesFor(hook('a.sh', foreign))).toContain('hooklet pods/log: get');
    expect(rulesFor(hook('a.sh', JOB), hook('b.sh', { ...foreign, namespace: 'heavy' }))).toEqual(
      expect.arrayContaining(['heavy pods/log: get']),
    );
    expect(rulesFor(hook('a.sh', JOB), hook('b.sh', { ...foreign, namespace: 'heavy' }))).not.toContain(
      'hooklet pods/log: get',
    );
  });

  it('has the hook in the reason', () => {
    const reasons = rulesOf(hookletNeeds([hook('a.sh', JOB)], FEATURES)).flatMap((rule) => rule.reasons);

    expect(reasons.map(({ text }) => text)).toContain('hooklet: the runs of a.sh are Jobs');
  });
});
