import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../src/json.ts';
import { Kinds } from '../src/kinds.ts';
import { objectCauses } from '../src/validation.ts';

function problems(collection: string, spec: JsonObject, before?: JsonObject): readonly string[] {
  const kind = new Kinds().ofCollection(collection);
  if (kind === undefined) throw new Error(`no ${collection}`);
  const causes = objectCauses(kind, { spec }, before === undefined ? undefined : { spec: before });
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

const container = { name: 'c', image: 'i' };
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } };
const selector = { matchLabels: { a: 'b' } };

describe('the rules of built-in kinds', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['pods', { containers: [container] }, []],
    ['pods', {}, ['spec.containers: Required value']],
    [
      'pods',
      { containers: [{}] },
      ['spec.containers[0].name: Required value', 'spec.containers[0].image: Required value'],
    ],
    ['pods', { containers: [container, container] }, ['spec.containers[1].name: Duplicate value: "c"']],
    ['deployments.apps', { selector, template }, []],
    [
      'deployments.apps',
      { selector, template, replicas: -1 },
      ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'deployments.apps',
      {},
      [
        'spec.selector: Required value',
        'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
        'spec.template.spec.containers: Required value',
      ],
    ],
    [
      'jobs.batch',
      { selector, template },
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      'cronjobs.batch',
      {},
      [
        'spec.schedule: Required value',
        'spec.jobTemplate.spec.template.spec.containers: Required value',
        'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
      ],
    ],
    ['cronjobs.batch', { schedule: '@daily', jobTemplate }, []],
    [
      'cronjobs.batch',
      { schedule: 'TZ=UTC 1-5-7', jobTemplate },
      [
        'spec.schedule: Invalid value: "TZ=UTC 1-5-7": expected exactly 5 fields, found 1: [1-5-7]',
        'spec.schedule: Invalid value: "TZ=UTC 1-5-7": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    ],
    ['services', {}, ['spec.ports: Required value']],
    ['services', { clusterIP: 'None' }, []],
    ['nodes', {}, []],
  ])('%s %j', (collection, spec, expected) => {
    expect(problems(collection, spec)).toEqual(expected);
  });

  it('of a pod only the images may change', () => {
    const before = { containers: [container], restartPolicy: 'Always' };

    expect(problems('pods', { ...before, containers: [{ ...container, image: 'j' }] }, before)).toEqual([]);
    expect(problems('pods', { ...before, restartPolicy: 'Never' }, before).join()).toContain(
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`',
    );
    expect(problems('pods', { ...before, containers: [container, { ...container, name: 'd' }] }, before)).toEqual([
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    ]);
  });

  it('a bound claim may grow, whatever its class', () => {
    const kind = new Kinds().ofCollection('persistentvolumeclaims');
    if (kind === undefined) throw new Error('no claims');
    const claim = (storage: string): JsonObject => ({
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, storageClassName: 'a' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' } },
    });

    expect(objectCauses(kind, claim('3Gi'), claim('1Gi'))).toEqual([]);
  });

  it('a schedule goes on having a time zone in it, beside which no other is', () => {
    const before = { schedule: 'TZ=UTC @daily', jobTemplate };
    const after = { ...before, schedule: 'CRON_TZ=UTC @hourly' };

    expect(problems('cronjobs.batch', after, before)).toEqual([]);
    expect(problems('cronjobs.batch', { ...after, timeZone: 'Etc/UTC' }, before)).toEqual([
      'spec.schedule: Invalid value: "CRON_TZ=UTC @hourly": cannot use both timeZone field and TZ or CRON_TZ in schedule',
    ]);
  });

  it('the selector of a workload stays', () => {
    expect(
      problems('deployments.apps', { selector: { matchLabels: { a: 'b', c: 'd' } }, template }, { selector, template }),
    ).toContain('spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable');
  });
});
