import { describe, expect, it } from 'vitest';
import type { Bench } from './target.ts';
import { configMap, configMaps, refusal, refusalOf } from './target.ts';

/** What is refused of objects that are well-formed. */
export function validationLaws(bench: () => Bench): void {
  describe('metadata', () => {
    it('takes only labels that are labels', async () => {
      const { client, namespace } = bench();

      const answer = await client.post(configMaps(await namespace()), {
        metadata: { name: 'a', labels: { a: 'b c' } },
      });

      expect(refusalOf(answer)).toEqual(
        refusal(
          422,
          'Invalid',
          `ConfigMap "a" is invalid: metadata.labels: Invalid value: "b c": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
        ),
      );
    });

    it('takes only whole owner references', async () => {
      const { client, namespace } = bench();

      const answer = await client.post(configMaps(await namespace()), {
        metadata: { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o' }] },
      });

      expect(refusalOf(answer)).toEqual(
        refusal(
          422,
          'Invalid',
          'ConfigMap "a" is invalid: metadata.ownerReferences.uid: Invalid value: "": must not be empty',
        ),
      );
    });

    it('takes one controller', async () => {
      const { client, namespace } = bench();
      const owner = (uid: string): unknown => ({ apiVersion: 'v1', kind: 'Pod', name: uid, uid, controller: true });

      const answer = await client.post(configMaps(await namespace()), {
        metadata: { name: 'a', ownerReferences: [owner('u'), owner('v')] },
      });

      expect(answer.status).toBe(422);
      expect(answer.body['message']).toContain('Only one reference can have Controller set to true');
    });
  });

  describe('data', () => {
    it('of a config map takes only keys that are keys', async () => {
      const { client, namespace } = bench();

      const answer = await client.post(configMaps(await namespace()), configMap('a', { data: { 'a/b': '1' } }));

      expect(refusalOf(answer)).toEqual(
        refusal(
          422,
          'Invalid',
          `ConfigMap "a" is invalid: data[a/b]: Invalid value: "a/b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
        ),
      );
    });

    it('of a config map takes only strings', async () => {
      const { client, namespace } = bench();

      const answer = await client.post(configMaps(await namespace()), configMap('a', { data: { k: 5 } }));

      expect(refusalOf(answer)).toEqual(
        refusal(
          400,
          'BadRequest',
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
        ),
      );
    });

    it('that is immutable stays', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), configMap('a', { data: { k: 'v' }, immutable: true }));

      const answer = await client.patch(configMaps(ns, 'a'), 'merge', { data: { k: 'w' } });

      expect(refusalOf(answer)).toEqual(
        refusal(
          422,
          'Invalid',
          'ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set',
        ),
      );
    });

    it('of a secret takes only base64', async () => {
      const { client, namespace } = bench();
      const path = `/api/v1/namespaces/${await namespace()}/secrets`;

      const answer = await client.post(path, { metadata: { name: 'a' }, data: { k: '*' } });

      expect(refusalOf(answer)).toEqual(
        refusal(
          400,
          'BadRequest',
          'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0',
        ),
      );
    });
  });

  describe('a deployment', () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

    it('must select its own pods', async () => {
      const { client, namespace } = bench();
      const path = `/apis/apps/v1/namespaces/${await namespace()}/deployments`;
      const spec = { selector: { matchLabels: { a: 'c' } }, template };

      const answer = await client.post(path, { metadata: { name: 'a' }, spec });

      expect(refusalOf(answer)).toEqual(
        refusal(
          422,
          'Invalid',
          'Deployment.apps "a" is invalid: spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
        ),
      );
    });

    it('keeps its selector', async () => {
      const { client, namespace } = bench();
      const path = `/apis/apps/v1/namespaces/${await namespace()}/deployments`;
      const spec = { replicas: 0, selector: { matchLabels: { a: 'b' } }, template };
      await client.post(path, { metadata: { name: 'a' }, spec });
      const other = { matchLabels: { a: 'b', c: 'd' } };
      const labels = { metadata: { labels: { c: 'd' } } };

      const answer = await client.patch(`${path}/a`, 'merge', { spec: { selector: other, template: labels } });

      expect(refusalOf(answer)).toEqual(
        refusal(
          422,
          'Invalid',
          'Deployment.apps "a" is invalid: spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable',
        ),
      );
    });
  });

  describe('a cron job', () => {
    const spec = (schedule: string): unknown => {
      const pod = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] };
      return { schedule, jobTemplate: { spec: { template: { spec: pod } } } };
    };
    const path = async ({ namespace }: Bench): Promise<string> =>
      `/apis/batch/v1/namespaces/${await namespace()}/cronjobs`;

    it.each([
      ['1-5-7 * * * *', 'too many hyphens: 1-5-7'],
      ['@Daily', 'unrecognized descriptor: @Daily'],
      ['0 0 3 * * *', 'expected exactly 5 fields, found 6: [0 0 3 * * *]'],
      ['* * * * 7', 'end of range (7) above maximum (6): 7'],
      ['TZ=UTC 0 3 * * *', 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'],
    ])('takes only a schedule that is one, not %j', async (schedule, problem) => {
      const { client } = bench();

      const answer = await client.post(await path(bench()), { metadata: { name: 'a' }, spec: spec(schedule) });

      const message = `CronJob.batch "a" is invalid: spec.schedule: Invalid value: ${JSON.stringify(schedule)}: ${problem}`;
      expect(refusalOf(answer)).toEqual(refusal(422, 'Invalid', message));
    });

    it('is not changed to another', async () => {
      const { client } = bench();
      const jobs = await path(bench());
      await client.post(jobs, { metadata: { name: 'a' }, spec: spec('@every 1h30m') });

      const answer = await client.patch(`${jobs}/a`, 'merge', { spec: { schedule: '*/0 * * * *' } });

      expect(answer.body['message']).toContain('step of range should be a positive number: */0');
    });
  });

  describe('strict field validation', () => {
    it('refuses fields that the kind does not have', async () => {
      const { client, namespace } = bench();

      const answer = await client.post(
        `${configMaps(await namespace())}?fieldValidation=Strict`,
        configMap('a', { nope: 1 }),
      );

      expect(refusalOf(answer)).toEqual(
        refusal(
          400,
          'BadRequest',
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "nope"',
        ),
      );
    });

    it('is not the default: such fields are dropped', async () => {
      const { client, namespace } = bench();

      const { status, body } = await client.post(configMaps(await namespace()), configMap('a', { nope: 1 }));

      expect(status).toBe(201);
      expect(body).not.toHaveProperty('nope');
    });
  });
}
