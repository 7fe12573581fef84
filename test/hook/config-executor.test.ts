import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/hook/config.ts';

function read(executor: unknown, bindings: object = { onStartup: 1 }) {
  return parseConfig(JSON.stringify({ configVersion: 'v1', ...bindings, settings: { executor } }), () => undefined);
}

const withHook = (fields: object) => ({ spec: { containers: [{ name: 'hook', ...fields }] } });

const DEFAULTS = { type: 'job', agent: 'image', isSuspended: false, startTimeoutMs: 120_000, keepFailedMs: 3_600_000 };

describe('settings.executor', () => {
  it.each(['job', { job: {} }])(
    '%j is a Job with a start timeout of 2 min that is kept for 1 h when it failed',
    (executor) => {
      expect(read(executor)).toMatchObject({ type: 'valid', settings: { executor: DEFAULTS } });
    },
  );

  it('has each field of the Job', () => {
    const given = {
      image: 'example.com/etl:1',
      agent: 'sidecar',
      command: ['/etl'],
      args: ['--once'],
      namespace: 'heavy',
      serviceAccountName: 'etl',
      resources: { requests: { memory: '4Gi' } },
      template: { spec: { nodeSelector: { disk: 'ssd' } } },
      labels: { 'kueue.x-k8s.io/queue-name': 'nightly' },
      annotations: { team: 'data' },
    };

    expect(read({ job: { ...given, suspend: true, startTimeout: '10m', keepFailed: '0' } })).toMatchObject({
      settings: {
        executor: { type: 'job', ...given, isSuspended: true, startTimeoutMs: 600_000, keepFailedMs: 0 },
      },
    });
  });

  it.each([
    [{ executor: 'pod' }, 'settings.executor: got "pod", expected job, workers, or a mapping with one of them'],
    [{ executor: {} }, 'settings.executor: got {}, expected job, workers, or a mapping with one of them'],
    [{ executor: 5 }, 'settings.executor: got 5, expected job, workers, or a mapping with one of them'],
    [{ executor: { jobs: {} } }, 'settings.executor.jobs: unknown field, did you mean job?'],
    [{ executor: { job: {}, workers: {} } }, 'settings.executor: got job and workers, expected one of them'],
    [{ executor: { workers: 'gpu' } }, 'settings.executor.workers: got "gpu", expected a mapping'],
    [{ executor: { workers: { pol: 'a' } } }, 'settings.executor.workers.pol: unknown field, did you mean pool?'],
    [
      { executor: { workers: { pool: 'My_Pool' } } },
      'settings.executor.workers.pool: got "My_Pool", expected the name of a pool: at most 63 small letters, digits and "-"',
    ],
    [{ executor: { pool: 'gpu' } }, 'settings.executor: put pool under executor.workers'],
    [{ executor: { workers: {}, image: 'a' } }, 'settings.executor: put image under executor.job'],
    [{ executor: { job: { imag: 'a' } } }, 'settings.executor.job.imag: unknown field, did you mean image?'],
    [{ executor: { job: { image: 'a b' } } }, 'settings.executor.job.image: got "a b", expected the name of an image'],
    [
      { executor: { job: { agent: 'sidecar' } } },
      'settings.executor.job.image: missing, expected the image whose program',
    ],
    [
      { executor: { job: { command: ['a'] } } },
      'settings.executor.job.command: it has no effect, since hooklet starts',
    ],
    [
      { executor: { job: { namespace: 'A' } } },
      'settings.executor.job.namespace: got "A", expected the name of a namespace',
    ],
    [
      { executor: { job: { startTimeout: '0s' } } },
      'settings.executor.job.startTimeout: got "0s", expected a duration above 0',
    ],
    [{ executor: { job: { resources: { memory: '1' } } } }, 'settings.executor.job.resources.memory: unknown field'],
    [{ executor: { job: { template: { status: {} } } } }, 'settings.executor.job.template.status: unknown field'],
    [{ executor: { job: { labels: { a: 1 } } } }, 'settings.executor.job.labels.a: got 1, expected a string'],
    [{ executor: { resources: {} } }, 'settings.executor: put resources under executor.job'],
    [{ executor: { job: {}, image: 'a', agent: 'b' } }, 'settings.executor: put image, agent under executor.job'],
    [
      { executor: { job: { template: { spec: { restartPolicy: 'Always' } } } } },
      'settings.executor.job.template.spec.restartPolicy: it has no effect, since hooklet sets Never',
    ],
    [
      { executor: { job: { template: withHook({ command: ['a'] }) } } },
      'job.template.spec.containers[0].command: it has no effect, since hooklet starts the hook in its image; with agent: sidecar, say in job.command',
    ],
    [
      { executor: { job: { agent: 'sidecar', image: 'a', template: withHook({ args: ['a'] }) } } },
      'job.template.spec.containers[0].args: expected in job.command and job.args, not in the template',
    ],
    [
      { executor: { job: { template: { spec: { containers: [{ image: 'a' }] } } } } },
      'job.template.spec.containers[0].name: missing, expected the name of the container, which is hook for that',
    ],
    [
      { executor: { job: { template: { spec: { initContainers: ['a'] } } } } },
      'job.template.spec.initContainers[0]: got "a", expected a mapping',
    ],
    [
      { executor: { job: { template: { metadata: { labels: { a: 'b c' } } } } } },
      'job.template.metadata.labels.a: got "b c", expected a string that is a label value',
    ],
    [
      { executor: { job: { resources: { limits: { memory: '4GB' } } } } },
      'job.resources.limits.memory: got "4GB", expected a quantity such as 500m, 2 or 4Gi, did you mean 4Gi?',
    ],
    [
      { executor: { job: { resources: { requests: { cpu: '-1' } } } } },
      'job.resources.requests.cpu: got "-1", expected a quantity such as 500m, 2 or 4Gi',
    ],
    [
      { executor: { job: { resources: { requests: { memory: '2Gi' }, limits: { memory: '1.5Gi' } } } } },
      'job.resources.requests.memory: got "2Gi", which is above its limit "1.5Gi"',
    ],
    [
      { executor: { job: { template: withHook({ resources: { limits: { memory: 'much' } } }) } } },
      'job.template.spec.containers[0].resources.limits.memory: got "much", expected a quantity',
    ],
    [
      { executor: { job: { serviceAccountName: 'My_Account' } } },
      'job.serviceAccountName: got "My_Account", expected the name of a ServiceAccount',
    ],
    [{ executor: { job: { labels: { 'a b': 'c' } } } }, 'got "a b", expected a key such as team or example.com/team'],
    [
      { executor: { job: { labels: { a: 'b c' } } } },
      'job.labels.a: got "b c", expected a string that is a label value',
    ],
    [{ executor: { job: { annotations: { '/': 'c' } } } }, 'got "/", expected a key such as team or example.com/team'],
  ])('refuses %j', ({ executor }, problem) => {
    const config = read(executor);
    const issues = config.type === 'invalid' ? config.issues : [];

    expect(issues.map(({ path, message }) => `${path}: ${message}`).join('\n')).toContain(problem);
  });

  it.each([
    { requests: { cpu: 0.3, memory: '1536Mi' }, limits: { cpu: '300m', memory: '1.5Gi' } },
    { requests: { cpu: '1' }, limits: { memory: '4G', 'nvidia.com/gpu': 1, 'ephemeral-storage': '1e10' } },
  ])('takes the quantities %j', (resources) => {
    expect(read({ job: { resources, template: withHook({ resources }) } })).toMatchObject({
      type: 'valid',
      settings: { executor: { resources } },
    });
  });

  it.each(['workers', { workers: {} }])('%j is the pool default of the workers', (executor) => {
    expect(read(executor)).toMatchObject({
      type: 'valid',
      settings: { executor: { type: 'workers', pool: 'default' } },
    });
  });

  it('has the pool of the workers', () => {
    expect(read({ workers: { pool: 'gpu' } })).toMatchObject({
      settings: { executor: { type: 'workers', pool: 'gpu' } },
    });
  });

  it.each([
    [{ resources: { limits: { memory: 'x' } } }, 'put resources under executor.job'],
    [{ pool: 'A' }, 'put pool under executor.workers'],
    [{ job: {}, workers: {} }, 'got job and workers, expected one of them'],
  ])('has one problem for %j', (executor, message) => {
    expect(read(executor)).toMatchObject({ issues: [{ path: 'settings.executor', message }] });
    expect(read(executor)).toHaveProperty('issues.length', 1);
  });

  it.each([
    ['job', 'a Job'],
    ['workers', 'a worker'],
  ])('%s is refused for a webhook, whose caller waits for seconds', (executor, what) => {
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] };
    const config = read(executor, { kubernetesValidating: [{ name: 'a.example.com', rules: [rule] }] });

    expect(config).toMatchObject({
      issues: [
        {
          path: 'settings.executor',
          message: `${what} cannot answer kubernetesValidating, whose caller waits for seconds: divide the hook in two`,
        },
      ],
    });
  });

  it.each([
    ['job', 'a Job'],
    ['workers', 'a worker'],
  ])('%s is refused with a lock, which would end with the operator while the hook goes on', (executor, what) => {
    const config = read(executor, { schedule: [{ crontab: '@daily', lock: 'nightly' }] });

    expect(config).toMatchObject({
      issues: [
        {
          path: 'settings.executor',
          message: `${what} cannot hold the lock nightly, which would end with the operator while the hook goes on: take it where the work is, with: hooklet lock nightly -- COMMAND`,
        },
      ],
    });
  });
});
