import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import type { JobRule } from '../../../src/hook/job-rule.ts';
import { readFacts, writeFacts, type JobFacts } from '../../../src/runner/job/job-facts.ts';
import { hookLabel, jobName, jobObject, type JobPlace } from '../../../src/runner/job/job-object.ts';
import { jobRule } from '../../support/job-executor-rig.ts';

const facts: JobFacts = {
  runId: '5f0c9c1e-3f0a-4a36-9c53-0b9f6f6f5a11',
  attempt: 2,
  hook: '002-x/heavy.sh',
  hookHash: 'abc',
  type: 'process',
  plainExitCodes: false,
  agent: 'image',
  startTimeoutMs: 120_000,
  keepFailedMs: 3_600_000,
};
const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'hooklet', uid: 'u', namespace: 'default' };
const place: JobPlace = {
  installation: 'default.hooklet',
  image: 'hooklet:1',
  urls: ['https://a:9443', 'https://b:9443'],
  env: { HOOKLET_HOOKS_DIR: '/hooks' },
  owner,
};

function made(rule: Partial<JobRule> = {}, own: Partial<JobFacts> = {}, namespace = 'default'): JsonObject {
  const { agent = 'image' } = rule;
  const purpose = { rule: jobRule(rule), facts: { ...facts, agent, ...own }, namespace, authority: 'PEM' };
  const json: unknown = JSON.parse(JSON.stringify(jobObject({ ...purpose, env: { MORE: '1' } }, place)));
  if (!isJsonObject(json)) throw new Error('no object');
  return json;
}

const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (one, key) => (typeof one === 'object' && one !== null ? Reflect.get(one, key) : undefined),
    value,
  );
const pod = (job: JsonObject, ...path: readonly (string | number)[]) => at(job, 'spec', 'template', ...path);
const env = (container: unknown): Readonly<Record<string, unknown>> => {
  const list = at(container, 'env');
  return Object.fromEntries(
    (Array.isArray(list) ? list : []).map((one) => [String(at(one, 'name')), at(one, 'value')]),
  );
};

describe('the Job of a run', () => {
  it('has the name of its run, and what another leader needs', () => {
    const job = made({ labels: { a: 'b', 'hooklet.dev/hook': 'forged' }, annotations: { c: 'd' } }, { ticks: ['t'] });

    expect(job).toMatchObject({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: `hooklet-run-${facts.runId}`,
        namespace: 'default',
        labels: {
          a: 'b',
          'app.kubernetes.io/managed-by': 'hooklet',
          'hooklet.dev/installation': 'default.hooklet',
          'hooklet.dev/hook': hookLabel('002-x/heavy.sh'),
        },
        annotations: { c: 'd', 'hooklet.dev/claimed-by': '', 'hooklet.dev/epoch': '0' },
        ownerReferences: [
          { kind: 'Deployment', name: 'hooklet', uid: 'u', controller: false, blockOwnerDeletion: false },
        ],
      },
    });
    expect(readFacts(String(at(job, 'metadata', 'annotations', 'hooklet.dev/run')))).toEqual({
      ...facts,
      ticks: ['t'],
    });
  });

  it('never has a second Pod from the Job controller', () => {
    const { podFailurePolicy, ...spec } = Object(made()['spec']);

    expect(spec).toMatchObject({ parallelism: 1, completions: 1, backoffLimit: 0, podReplacementPolicy: 'Failed' });
    expect([podFailurePolicy, spec.template.spec.restartPolicy]).toEqual([undefined, 'Never']);
  });

  it.each([
    [{}, {}, { deadline: undefined, ttl: 3600, suspend: false }],
    [{ keepFailedMs: 0 }, { timeoutMs: 1500 }, { deadline: 3782, ttl: 300, suspend: false }],
    [{ isSuspended: true, startTimeoutMs: 1000 }, { timeoutMs: 600_000 }, { deadline: 4261, ttl: 3600, suspend: true }],
    [{ agent: 'sidecar' as const, image: 'x' }, { timeoutMs: 1500 }, { deadline: 302, ttl: 3600, suspend: false }],
  ])('with %j and %j has the nets %j', (rule, own, { deadline, ttl, suspend }) => {
    const job = made(rule, own);

    expect([at(job, 'spec', 'activeDeadlineSeconds'), at(job, 'spec', 'ttlSecondsAfterFinished')]).toEqual([
      deadline,
      ttl,
    ]);
    expect(at(job, 'spec', 'suspend')).toBe(suspend);
  });

  it('in another namespace than its owner has none', () => {
    expect(at(made({}, {}, 'other'), 'metadata', 'ownerReferences')).toBeUndefined();
  });

  it('is confined, and has no token but the one for hooklet', () => {
    const job = made();

    expect(pod(job, 'spec')).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      volumes: [
        {
          projected: {
            sources: [{ serviceAccountToken: { audience: 'hooklet', expirationSeconds: 600, path: 'token' } }],
          },
        },
      ],
      containers: [
        {
          name: 'hook',
          image: 'hooklet:1',
          command: ['hooklet', 'exec-run'],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          volumeMounts: [{ mountPath: '/var/run/secrets/hooklet.dev', readOnly: true }],
        },
      ],
    });
    expect(env(pod(job, 'spec', 'containers', 0))).toEqual({
      HOOKLET_HOOKS_DIR: '/hooks',
      MORE: '1',
      HOOKLET_JOB: jobName(facts.runId),
      HOOKLET_JOB_URLS: 'https://a:9443,https://b:9443',
      HOOKLET_JOB_CA: 'PEM',
      HOOKLET_JOB_TOKEN_FILE: '/var/run/secrets/hooklet.dev/token',
    });
  });

  it('has the account and the resources of its rule', () => {
    const job = made({ serviceAccountName: 'backup', resources: { limits: { memory: '1Gi' } }, image: 'own:2' });

    expect(pod(job, 'spec')).toMatchObject({
      serviceAccountName: 'backup',
      automountServiceAccountToken: true,
      containers: [{ image: 'own:2', resources: { limits: { memory: '1Gi' } } }],
    });
  });

  it('with a sidecar has the files of a run beside any image', () => {
    const rule = { agent: 'sidecar', image: 'restic', command: ['restic'], args: ['backup'] } as const;
    const job = made(rule, { traceparent: '00-1' });

    expect(pod(job, 'spec')).toMatchObject({
      terminationGracePeriodSeconds: 60,
      initContainers: [
        {
          name: 'hooklet',
          image: 'hooklet:1',
          restartPolicy: 'Always',
          command: ['hooklet', 'exec-run', '--sidecar'],
          startupProbe: { exec: { command: ['hooklet', 'exec-run', '--ready'] } },
          volumeMounts: [{ name: 'hooklet-token' }, { name: 'hooklet-run', mountPath: '/hooklet/run' }],
        },
      ],
      containers: [
        {
          name: 'hook',
          image: 'restic',
          command: ['restic'],
          args: ['backup'],
          volumeMounts: [{ mountPath: '/hooklet/run' }],
        },
      ],
      volumes: [{ name: 'hooklet-token' }, { name: 'hooklet-run', emptyDir: {} }],
    });
    expect(env(pod(job, 'spec', 'containers', 0))).toEqual({
      MORE: '1',
      BINDING_CONTEXT_PATH: '/hooklet/run/binding-context.json',
      METRICS_PATH: '/hooklet/run/metrics.json',
      KUBERNETES_PATCH_PATH: '/hooklet/run/object-patch',
      VALIDATING_RESPONSE_PATH: '/hooklet/run/admission-response.json',
      ADMISSION_RESPONSE_PATH: '/hooklet/run/admission-response.json',
      CONVERSION_RESPONSE_PATH: '/hooklet/run/conversion-response.json',
      RESULT_PATH: '/hooklet/run/result.json',
      RUN_ID: facts.runId,
      TRACEPARENT: '00-1',
    });
  });

  it('leaves the command of a foreign image to it', () => {
    const hook = pod(made({ agent: 'sidecar' }), 'spec', 'containers', 0);

    expect([at(hook, 'command'), at(hook, 'args')]).toEqual([undefined, undefined]);
  });

  it('has the template of its rule, but for what it depends on', () => {
    const job = made({
      template: {
        metadata: { labels: { team: 'x', 'hooklet.dev/installation': 'forged' }, annotations: { e: 'f' } },
        spec: {
          restartPolicy: 'OnFailure',
          terminationGracePeriodSeconds: 5,
          nodeSelector: { disk: 'fast' },
          securityContext: { runAsUser: 1000 },
          containers: [
            {
              name: 'hook',
              env: [
                { name: 'A', value: 'b' },
                { name: 'HOOKLET_JOB', value: 'forged' },
              ],
              command: ['sh'],
            },
            { name: 'proxy', image: 'envoy' },
          ],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        },
      },
    });

    expect(pod(job)).toMatchObject({
      metadata: { labels: { team: 'x', 'hooklet.dev/installation': 'default.hooklet' }, annotations: { e: 'f' } },
      spec: {
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 30,
        nodeSelector: { disk: 'fast' },
        securityContext: { runAsNonRoot: true, runAsUser: 1000 },
        containers: [
          { name: 'hook', command: ['hooklet', 'exec-run'] },
          { name: 'proxy', image: 'envoy' },
        ],
        volumes: [{ name: 'hooklet-token' }, { name: 'data' }],
      },
    });
    expect(env(pod(job, 'spec', 'containers', 0))).toMatchObject({ A: 'b', HOOKLET_JOB: jobName(facts.runId) });
  });

  it.each(['image', 'sidecar'] as const)('with agent %s is one that the API server takes', async (agent) => {
    const sandbox = await sandboxForTest();
    const job = made({ agent, isSuspended: true }, { timeoutMs: 1000 });

    const path = '/apis/batch/v1/namespaces/default/jobs?fieldValidation=Strict';
    const { code, body } = await sandbox.call('POST', path, job);

    expect([code, at(body, 'message')]).toEqual([201, undefined]);
  });
});

describe('the label of a hook', () => {
  it.each(['002-x/heavy.sh', 'Ünïcode/_', '-'.repeat(90), 'a'.repeat(200)])(
    'for %j is one that a label may have',
    (hook) => {
      expect(hookLabel(hook)).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
    },
  );

  it('differs for two hooks', () => {
    expect(hookLabel('a/b.sh')).not.toBe(hookLabel('a-b.sh'));
  });
});

describe('the facts of a run', () => {
  it('are read as they were written', () => {
    const all: JobFacts = {
      ...facts,
      timeoutMs: 5,
      traceparent: '00-1',
      ticks: ['a', 'b'],
      outcome: { success: [1], later: [2, 3] },
      plainExitCodes: true,
    };

    expect(readFacts(writeFacts(all))).toEqual(all);
  });

  it('have no ticks where there are more than 1000, which no other run has exactly', () => {
    const ticks = Array.from({ length: 1001 }, (_, number) => `t${number}`);

    expect(readFacts(writeFacts({ ...facts, ticks }))?.ticks).toBeUndefined();
  });

  it.each(['', 'x', '[]', '{}', '{"runId":1}'])('are not read from %j', (text) => {
    expect(readFacts(text)).toBeUndefined();
  });
});
