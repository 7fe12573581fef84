import { describe, expect, it } from 'vitest';
import { selfSigned } from '../support/certificate.ts';
import { allowing, patching, type Respond } from '../support/webhook-server.ts';
import { admissionBench, type AdmissionBench } from './admission-bench.ts';
import { textOf, type Answer } from './client.ts';
import type { Bench } from './target.ts';
import { configMap, configMaps, refusal, refusalOf } from './target.ts';

/** What becomes of a request when a webhook denies, fails, or answers nonsense. */
export function admissionFailureLaws(bench: () => Bench): void {
  const asked = async (
    phase: 'Mutating' | 'Validating',
    respond: Respond,
    changes: Readonly<Record<string, unknown>> = {},
  ): Promise<AdmissionBench & { readonly answer: Answer }> => {
    const made = await admissionBench(bench());
    made.server.on('/hook', respond);
    await made.register(phase, [{ path: '/hook', ...changes }]);
    return { ...made, answer: await made.client.post(configMaps(made.namespace), configMap('a')) };
  };

  describe('a webhook that denies', () => {
    it.each<[string, Readonly<Record<string, unknown>>, readonly [number, string | undefined, string]]>([
      ['with nothing else', {}, [400, undefined, ' without explanation']],
      ['with a message', { status: { message: 'no way' } }, [400, undefined, ': no way']],
      ['with a reason alone', { status: { reason: 'Bees' } }, [400, 'Bees', ': Bees']],
      ['with a code', { status: { message: 'no', code: 422, reason: 'Invalid' } }, [422, 'Invalid', ': no']],
      ['with the code of a success', { status: { message: 'no', code: 200 } }, [400, undefined, ': no']],
    ])('decides the answer %s', async (_how, response, [code, reason, tail]) => {
      const { answer, client, namespace } = await asked('Validating', allowing({ allowed: false, ...response }));

      const message = `admission webhook "hook.laws.example.com" denied the request${tail}`;
      expect(refusalOf(answer)).toEqual(refusal(code, reason, message));
      expect((await client.get(configMaps(namespace, 'a'))).status).toBe(404);
    });

    it('keeps those after it from being called, where it mutates', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      server.on('/first', allowing({ allowed: false }));
      await register('Mutating', [{ path: '/first' }, { path: '/second' }]);

      await client.post(configMaps(namespace), configMap('a'));

      expect(server.seen.map(({ path }) => path)).toEqual(['/first']);
    });

    it('denies although failures are ignored', async () => {
      const denies = allowing({ allowed: false });
      const { answer } = await asked('Validating', denies, { failurePolicy: 'Ignore' });

      expect(answer.status).toBe(400);
    });
  });

  const PATCH_AND_TYPE = 'received invalid webhook response: webhook returned';
  const UNDECODABLE = 'received undecodable patch in webhook response';
  const hangUp: Respond = (_review, response) => {
    response.destroy();
    return undefined;
  };
  const status =
    (code: number, text: string): Respond =>
    (_review, response) => {
      response.statusCode = code;
      return text;
    };

  describe('a webhook that cannot be understood', () => {
    it.each<[string, Respond, string]>([
      [
        'nothing',
        () => '',
        'failed to call webhook: 0-length response with status code: 200 and content type: application/json',
      ],
      [
        'half of an answer',
        () => '{"kind":',
        "failed to call webhook: couldn't get version/kind; json parse error: unexpected end of JSON input",
      ],
      [
        'no response',
        (review) => ({ apiVersion: review['apiVersion'], kind: review['kind'] }),
        'received invalid webhook response: webhook response was absent',
      ],
      [
        'another kind',
        (review) => ({ apiVersion: review['apiVersion'], kind: 'Foo' }),
        'failed to call webhook: no kind "Foo" is registered for version "admission.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
      ],
      [
        'another version',
        () => ({ apiVersion: 'admission.k8s.io/v1beta1', kind: 'AdmissionReview' }),
        'failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion',
      ],
      [
        'no kind',
        (review) => ({ response: { uid: review['request']?.['uid'], allowed: true } }),
        'received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=',
      ],
      [
        'a text for allowed',
        allowing({ allowed: 'yes' }),
        'failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
      ],
      ['404', status(404, 'not here'), 'failed to call webhook: the server could not find the requested resource'],
      [
        '500',
        status(500, ''),
        'failed to call webhook: an error on the server ("unknown") has prevented the request from succeeding',
      ],
      [
        'a patch without its type',
        allowing({ patch: 'W10=' }),
        `${PATCH_AND_TYPE} response.patch but not response.patchType`,
      ],
      [
        'a type without a patch',
        allowing({ patchType: 'JSONPatch' }),
        `${PATCH_AND_TYPE} response.patchType but not response.patch`,
      ],
      [
        'a patch that is not base64',
        allowing({ patch: '!!', patchType: 'JSONPatch' }),
        'failed to call webhook: illegal base64 data at input byte 0',
      ],
      [
        'a patch that is not JSON',
        allowing({ patch: btoa('hello'), patchType: 'JSONPatch' }),
        `${UNDECODABLE}: invalid character 'h' looking for beginning of value`,
      ],
      [
        'a patch that is no list',
        allowing({ patch: btoa('{}'), patchType: 'JSONPatch' }),
        `${UNDECODABLE}: json: cannot unmarshal object into Go value of type jsonpatch.Patch`,
      ],
    ])('fails the request: %s', async (_what, respond, problem) => {
      const { answer } = await asked('Mutating', respond);

      const message = `Internal error occurred: failed calling webhook "hook.laws.example.com": ${problem}`;
      expect(refusalOf(answer)).toEqual(refusal(500, 'InternalError', message));
    });

    it('fails the request with the uid of another', async () => {
      const { answer, server } = await asked('Validating', allowing({ uid: 'other' }));

      const uid = textOf(server.seen[0]?.review['request']?.['uid']);
      const problem = `received invalid webhook response: expected response.uid="${uid}", got "other"`;
      expect(answer.body['message']).toBe(
        `Internal error occurred: failed calling webhook "hook.laws.example.com": ${problem}`,
      );
    });

    it('fails the request with a patch, if it validates', async () => {
      const { answer } = await asked('Validating', patching([]));

      expect(answer.body['message']).toContain('validating webhook may not return response.patch');
    });

    it('is passed over where failures are ignored', async () => {
      const { answer, server } = await asked('Mutating', () => 'nonsense', { failurePolicy: 'Ignore' });

      expect(answer.status).toBe(201);
      expect(server.seen).toHaveLength(1);
    });
  });

  describe('a patch that does not fit the object', () => {
    it.each([
      [
        'remove',
        '/metadata/annotations/x',
        'remove operation does not apply: doc is missing path: "/metadata/annotations/x": missing value',
      ],
      [
        'remove',
        '/metadata/nope',
        "error in remove for path: '/metadata/nope': Unable to remove nonexistent key: nope: missing value",
      ],
      [
        'add',
        '/metadata/annotations/x',
        'add operation does not apply: doc is missing path: "/metadata/annotations/x": missing value',
      ],
      ['test', '/metadata/name', 'testing value /metadata/name failed: test failed'],
      ['foo', '/metadata/name', 'Unexpected kind: foo'],
    ])('fails the request: %s %s', async (op, path, problem) => {
      const { answer } = await asked('Mutating', patching([{ op, path, value: 'x' }]), { failurePolicy: 'Ignore' });

      expect(refusalOf(answer)).toEqual(refusal(500, 'InternalError', `Internal error occurred: ${problem}`));
    });

    it('is refused as the object that it makes would be', async () => {
      const labels = { 'a b': 'c' };
      const { answer } = await asked('Mutating', patching([{ op: 'add', path: '/metadata/labels', value: labels }]));

      expect(answer.status).toBe(422);
      expect(answer.body['message']).toContain('ConfigMap "a" is invalid: metadata.labels: Invalid value: "a b"');
    });

    it('has no object to change in a delete', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      await client.post(configMaps(namespace), configMap('a'));
      server.on('/hook', patching([{ op: 'add', path: '/metadata/labels', value: {} }]));
      await register('Mutating', [{ path: '/hook' }]);

      const answer = await client.delete(configMaps(namespace, 'a'));

      expect(answer.status).toBe(500);
      expect(answer.body['message']).toBe(
        'Internal error occurred: admission webhook "hook.laws.example.com" attempted to modify the object, which is not supported for this operation',
      );
    });
  });

  describe('a webhook that cannot be reached', () => {
    it('fails the request when nobody listens', async () => {
      const { answer, server } = await asked('Validating', hangUp, {
        clientConfig: { url: 'https://127.0.0.1:1/x' },
      });

      expect(server.seen).toEqual([]);
      expect(answer.body['message']).toBe(
        'Internal error occurred: failed calling webhook "hook.laws.example.com": failed to call webhook: Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
      );
      expect(answer.body['details']?.['causes']).toEqual([
        { message: textOf(answer.body['message']).replace('Internal error occurred: ', '') },
      ]);
    });

    it('fails the request when it hangs up', async () => {
      const { answer, server } = await asked('Validating', hangUp);

      expect(answer.body['message']).toContain(`Post "${server.url}/hook?timeout=10s": EOF`);
    });

    it('fails the request when it does not answer in time', async () => {
      const { answer, server } = await asked('Validating', () => undefined, { timeoutSeconds: 1 });

      expect(answer.body['message']).toContain(`Post "${server.url}/hook?timeout=1s": context deadline exceeded`);
    });

    it('fails the request when its certificate is signed by someone else', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      const caBundle = btoa(selfSigned('someone else').cert);
      await register('Validating', [{ path: '/hook', clientConfig: { ...server.client('/hook'), caBundle } }]);

      const answer = await client.post(configMaps(namespace), configMap('a'));

      expect(answer.body['message']).toBe(
        `Internal error occurred: failed calling webhook "hook.laws.example.com": failed to call webhook: Post "${server.url}/hook?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      );
    });

    it('is trusted by any certificate of a bundle', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      const caBundle = btoa(selfSigned('old').cert + atob(server.caBundle));
      await register('Validating', [{ path: '/hook', clientConfig: { ...server.client('/hook'), caBundle } }]);

      expect((await client.post(configMaps(namespace), configMap('a'))).status).toBe(201);
    });

    it('fails the request when its bundle has no certificate', async () => {
      const { client, server, namespace, register } = await admissionBench(bench());
      const clientConfig = { ...server.client('/hook'), caBundle: btoa('hello') };
      await register('Validating', [{ path: '/hook', clientConfig }]);

      expect((await client.post(configMaps(namespace), configMap('a'))).body['message']).toContain(
        'could not get REST client: unable to load root certificates: unable to parse bytes as PEM block',
      );
    });

    it('fails the request when its service does not exist', async () => {
      const service = { name: 'nope', namespace: 'nowhere', path: '/x' };
      const { answer } = await asked('Validating', hangUp, { clientConfig: { service } });

      expect(answer.body['message']).toContain(
        'failed to call webhook: Post "https://nope.nowhere.svc:443/x?timeout=10s": service "nope" not found',
      );
    });
  });
}
