import { describe, expect, it } from 'vitest';
import { allowing, patching, type Respond } from '../support/webhook-server.ts';
import { admissionBench, configMapRule, configurations } from './admission-bench.ts';
import type { Bench } from './target.ts';
import { configMap, configMaps, freshName, refusal, refusalOf } from './target.ts';

/** Which webhooks are called, in which order, and what they are told. */
export function admissionLaws(bench: () => Bench): void {
  describe('an admission webhook', () => {
    it('is told of a create: a mutating one before the name is generated, a validating one after', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      await register('Mutating', [{ path: '/mutating' }]);
      await register('Validating', [{ path: '/validating' }]);

      const { body } = await client.post(`${configMaps(namespace)}?fieldManager=law`, {
        metadata: { generateName: 'g-', labels: { a: 'b' } },
        data: { k: 'v' },
      });

      const [mutating, validating] = server.seen;
      expect(mutating).toMatchObject({
        target: '/mutating?timeout=10s',
        headers: { 'content-type': 'application/json', accept: 'application/json, */*' },
        review: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' },
      });
      expect(mutating?.review['request']).toMatchObject({
        uid: expect.any(String),
        kind: { group: '', version: 'v1', kind: 'ConfigMap' },
        resource: { group: '', version: 'v1', resource: 'configmaps' },
        requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
        requestResource: { group: '', version: 'v1', resource: 'configmaps' },
        namespace,
        operation: 'CREATE',
        userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
        object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { generateName: 'g-', namespace }, data: { k: 'v' } },
        oldObject: null,
        dryRun: false,
        options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'law' },
      });
      expect(mutating?.review['request']).not.toHaveProperty('name');
      expect(mutating?.review['request']).not.toHaveProperty('subResource');
      expect(mutating?.review['request']?.['object']?.['metadata']).not.toHaveProperty('uid');
      const { name, uid } = body['metadata'] as unknown as { name: string; uid: string };
      expect(validating?.review['request']).toMatchObject({ name, object: { metadata: { name, uid } } });
      expect(validating?.review['request']?.['object']).toEqual({
        ...body,
        metadata: expect.not.objectContaining({ resourceVersion: expect.anything() }),
      });
    });

    it('is told of both states of an update, and of a delete', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      await client.post(configMaps(namespace), configMap('a', { data: { k: 'v' } }));
      await register('Validating', [{ path: '/validating' }]);

      await client.patch(configMaps(namespace, 'a'), 'merge', { data: { k: 'w' } });
      await client.delete(configMaps(namespace, 'a'), {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: 'Background',
      });

      expect(server.seen.map(({ review }) => review['request'])).toMatchObject([
        {
          operation: 'UPDATE',
          name: 'a',
          object: { data: { k: 'w' } },
          oldObject: { data: { k: 'v' } },
          options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' },
        },
        {
          operation: 'DELETE',
          name: 'a',
          object: null,
          oldObject: { kind: 'ConfigMap', data: { k: 'w' } },
          options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', propagationPolicy: 'Background' },
        },
      ]);
    });

    it('is asked about each object of a deletion of many', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      const labels = { of: 'many' };
      for (const name of ['a', 'b', 'c']) await client.post(configMaps(namespace), { metadata: { name, labels } });
      await register('Validating', [{ path: '/validating' }]);

      await client.delete(`${configMaps(namespace)}?labelSelector=of%3Dmany`);

      const requests = server.seen.map(({ review }) => review['request']);
      expect(requests.map((request) => request?.['oldObject']?.['metadata']?.['name'])).toEqual(['a', 'b', 'c']);
      expect(requests[0]).toMatchObject({ operation: 'DELETE', namespace });
      expect(requests[0]).not.toHaveProperty('name');
      expect((await client.get(`${configMaps(namespace)}?labelSelector=of%3Dmany`)).body['items']).toEqual([]);
    });

    it('changes an object by a patch, which managedFields do not tell of', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      server.on('/mutating', patching([{ op: 'add', path: '/metadata/annotations', value: { by: 'webhook' } }]));
      await register('Mutating', [{ path: '/mutating' }]);

      await client.post(configMaps(namespace), configMap('a', { data: { k: 'v' } }));
      const { body } = await client.get(configMaps(namespace, 'a'));

      expect(body).toMatchObject({ metadata: { annotations: { by: 'webhook' } }, data: { k: 'v' } });
      expect(JSON.stringify(body['metadata']?.['managedFields'])).not.toContain('annotations');
    });

    it('is called in the order of the names of configurations, and of the list in each', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      const [first, second] = [freshName('a-law'), freshName('b-law')];
      for (const path of ['/a', '/b', '/c', '/d']) server.on(path, trailing(path));
      await register('Mutating', [{ path: '/b' }, { path: '/a' }], second);
      await register('Mutating', [{ path: '/d' }, { path: '/c' }], first);

      const { body } = await client.post(configMaps(namespace), configMap('a'));

      expect(body['metadata']?.['annotations']).toEqual({ trail: '/d/c/b/a' });
    });

    it('is called once more for what later ones changed, if it wants to', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      for (const path of ['/a', '/b', '/c', '/d']) server.on(path, trailing(path));
      const reinvocationPolicy = 'IfNeeded';
      await register('Mutating', [
        { path: '/a', reinvocationPolicy },
        { path: '/b' },
        { path: '/c', reinvocationPolicy },
        { path: '/d', reinvocationPolicy },
      ]);

      const { body } = await client.post(configMaps(namespace), configMap('a'));

      expect(body['metadata']?.['annotations']).toEqual({ trail: '/a/b/c/d/a/c/d' });
    });

    it('is told of a dry run', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      await register('Validating', [{ path: '/validating' }]);

      await client.post(`${configMaps(namespace)}?dryRun=All`, configMap('a'));

      expect(server.seen[0]?.review['request']).toMatchObject({ dryRun: true, options: { dryRun: ['All'] } });
      expect((await client.get(configMaps(namespace, 'a'))).status).toBe(404);
    });

    it('matches resources with their subresources', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      const rule = (resources: readonly string[]): unknown[] => [configMapRule({ resources })];
      await register('Validating', [
        { path: '/pods', rules: rule(['pods']) },
        { path: '/status', rules: rule(['pods/status']) },
        { path: '/parts', rules: rule(['pods/*']) },
        { path: '/all', rules: rule(['*/*']) },
      ]);

      await client.post(pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
      const created = server.seen.map(({ path }) => path).toSorted();
      server.seen.length = 0;
      await client.patch(`${pods}/p/status`, 'merge', { status: { phase: 'Running' } });

      expect(created).toEqual(['/all', '/parts', '/pods']);
      expect(server.seen.map(({ path }) => path).toSorted()).toEqual(['/all', '/parts', '/status']);
      expect(server.seen[0]?.review['request']).toMatchObject({ subResource: 'status', requestSubResource: 'status' });
    });

    it('gets the scale of an object, of the group autoscaling', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      const controllers = `/api/v1/namespaces/${namespace}/replicationcontrollers`;
      const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
      const spec = { replicas: 0, selector: { a: 'b' }, template };
      await client.post(controllers, { metadata: { name: 'r' }, spec });
      await register('Validating', [
        { path: '/scale', rules: [configMapRule({ resources: ['replicationcontrollers/scale'] })] },
      ]);

      await client.patch(`${controllers}/r/scale?dryRun=All`, 'merge', { spec: { replicas: 2 } });

      expect(server.seen[0]?.review['request']).toMatchObject({
        kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        resource: { group: '', version: 'v1', resource: 'replicationcontrollers' },
        subResource: 'scale',
        object: { kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 2 } },
      });
    });

    it('gets an object in the version of its rule, unless it matches exactly', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      const rules = [configMapRule({ apiGroups: ['autoscaling'], apiVersions: ['v2'], resources: ['*'] })];
      await register('Validating', [
        { path: '/equivalent', rules },
        { path: '/exact', rules, matchPolicy: 'Exact' },
      ]);

      await client.post(`/apis/autoscaling/v1/namespaces/${namespace}/horizontalpodautoscalers`, {
        apiVersion: 'autoscaling/v1',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'h' },
        spec: {
          maxReplicas: 2,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
          targetCPUUtilizationPercentage: 50,
        },
      });

      expect(server.seen.map(({ path }) => path)).toEqual(['/equivalent']);
      expect(server.seen[0]?.review['request']).toMatchObject({
        kind: { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
        requestKind: { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' },
        object: { apiVersion: 'autoscaling/v2', spec: { metrics: [{ resource: { name: 'cpu' } }] } },
      });
    });

    it('selects objects by the labels of either state', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      await register('Validating', [{ path: '/validating', objectSelector: { matchLabels: { on: '1' } } }]);

      await client.post(configMaps(namespace), configMap('a'));
      const before = server.seen.length;
      await client.patch(configMaps(namespace, 'a'), 'merge', { metadata: { labels: { on: '1' } } });
      await client.patch(configMaps(namespace, 'a'), 'merge', { metadata: { labels: { on: null } } });
      await client.delete(configMaps(namespace, 'a'));

      expect(before).toBe(0);
      expect(server.seen.map(({ review }) => review['request']?.['operation'])).toEqual(['UPDATE', 'UPDATE']);
    });

    it('is told that a namespace is in itself, and at the scope of the cluster', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      const rule = (scope: string): unknown[] => [configMapRule({ resources: ['namespaces'], scope })];
      await register('Validating', [
        { path: '/cluster', rules: rule('Cluster') },
        { path: '/namespaced', rules: rule('Namespaced') },
      ]);

      await client.patch(`/api/v1/namespaces/${namespace}`, 'merge', { metadata: { annotations: { a: 'b' } } });

      expect(server.seen.map(({ path }) => path)).toEqual(['/cluster']);
      expect(server.seen[0]?.review['request']).toMatchObject({ name: namespace, namespace });
    });

    it('is called if all its match conditions hold', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      const condition = (expression: string): unknown[] => [{ name: 'only', expression }];
      const holds =
        'object.data.k == "v" && oldObject == null && request.operation == "CREATE" && request.namespace != ""';
      await register('Validating', [
        { path: '/holds', matchConditions: condition(holds) },
        { path: '/fails', matchConditions: condition('object.data.k == "w"') },
        { path: '/ignored', matchConditions: condition('object.nope == "w"'), failurePolicy: 'Ignore' },
      ]);

      await client.post(configMaps(namespace), configMap('a', { data: { k: 'v' } }));

      expect(server.seen.map(({ path }) => path)).toEqual(['/holds']);
    });

    it('forbids the request if a match condition cannot be evaluated, unless another is false', async () => {
      const { client, namespace, register } = await admissionBench(bench());
      const undefinedKey = { name: 'key', expression: 'object.nope == "w"' };
      await register('Validating', [
        { path: '/one', matchConditions: [undefinedKey, { name: 'no', expression: 'false' }] },
        { path: '/two', matchConditions: [undefinedKey] },
      ]);

      const answer = await client.post(configMaps(namespace), configMap('a'));

      const message = `configmaps "a" is forbidden: expression 'object.nope == "w"' resulted in error: no such key: nope`;
      expect(refusalOf(answer)).toEqual(refusal(403, 'Forbidden', message));
    });

    it('is never called for webhook configurations', async () => {
      const { client, server, register } = await admissionBench(bench());
      const rules = [configMapRule({ apiGroups: ['admissionregistration.k8s.io'], resources: ['*/*'] })];
      const name = freshName('law');
      await register('Validating', [{ path: '/all', rules, failurePolicy: 'Ignore' }], name);

      await client.patch(configurations('Validating', name), 'merge', { metadata: { labels: { a: 'b' } } });

      expect(server.at('/all')).toEqual([]);
    });

    it('gets the first version of the review that the API server knows', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      server.on('/old', () => ({ response: { allowed: true } }));
      await register('Validating', [{ path: '/old', admissionReviewVersions: ['v9', 'v1beta1', 'v1'] }]);

      const { status } = await client.post(configMaps(namespace), configMap('a'));

      expect(status).toBe(201);
      expect(server.seen[0]?.review['apiVersion']).toBe('admission.k8s.io/v1beta1');
    });

    it('warns the client, once with each text, whatever it decides', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      const warnings = ['first', 'first', 'a "quoted" \\ text', '', 'two\nlines', 'x'.repeat(300)];
      server.on('/warns', allowing({ warnings, allowed: false, status: { message: 'no' } }));
      await register('Validating', [{ path: '/warns' }]);

      const answer = await client.post(configMaps(namespace), configMap('a'));

      expect(answer.status).toBe(400);
      expect(answer.warnings).toEqual([
        '299 - "first"',
        String.raw`299 - "a \"quoted\" \\ text"`,
        `299 - "${'x'.repeat(300)}"`,
      ]);
    });

    it('has its warnings cut to 256 characters when there are more than 4096', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      const warnings = Array.from({ length: 40 }, (_, index) => `${index}-`.padEnd(300, 'y'));
      server.on('/warns', allowing({ warnings }));
      await register('Validating', [{ path: '/warns' }]);

      const answer = await client.post(configMaps(namespace), configMap('a'));

      expect(answer.warnings).toEqual(warnings.slice(0, 16).map((text) => `299 - "${text.slice(0, 256)}"`));
    });
  });
}

/** Appends the path to an annotation. */
function trailing(path: string): Respond {
  return (review, response) => {
    const annotations = review['request']?.['object']?.['metadata']?.['annotations'];
    const trail = `${(annotations?.['trail'] as unknown as string | undefined) ?? ''}${path}`;
    const operation =
      annotations === undefined
        ? { op: 'add', path: '/metadata/annotations', value: { trail } }
        : { op: 'add', path: '/metadata/annotations/trail', value: trail };
    return patching([operation])(review, response);
  };
}
