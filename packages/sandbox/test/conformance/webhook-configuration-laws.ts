import { describe, expect, it } from 'vitest';
import { configurations } from './admission-bench.ts';
import { textOf } from './client.ts';
import type { Bench } from './target.ts';
import { freshName } from './target.ts';

const HOOK = {
  name: 'a.laws.example.com',
  clientConfig: { url: 'https://127.0.0.1:1/x' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};

/** The defaults and the validation of webhook configurations. */
export function webhookConfigurationLaws(bench: () => Bench): void {
  const posted = (
    phase: 'Mutating' | 'Validating',
    webhooks: readonly unknown[],
    query = '?dryRun=All',
  ): ReturnType<Bench['client']['post']> =>
    bench().client.post(configurations(phase) + query, { metadata: { name: freshName('law') }, webhooks });

  describe('a webhook configuration', () => {
    it('gets the defaults of the server', async () => {
      const service = { name: 's', namespace: 'n' };
      const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
      const filled = {
        ...HOOK,
        clientConfig: { service: { ...service, port: 443 } },
        rules: [{ ...rules[0], scope: '*' }],
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
      };

      const hook = { ...HOOK, clientConfig: { service }, rules };
      const validating = await posted('Validating', [hook]);
      const mutating = await posted('Mutating', [hook]);

      expect(validating.body['webhooks']).toEqual([filled]);
      expect(mutating.body['webhooks']).toEqual([{ ...filled, reinvocationPolicy: 'Never' }]);
    });

    it.each<[string, Readonly<Record<string, unknown>>, string]>([
      [
        'a name of 2 segments',
        { name: 'a.b' },
        'name: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
      ],
      ['no name', { name: '' }, 'name: Required value'],
      [
        'no versions',
        { admissionReviewVersions: [] },
        'admissionReviewVersions: Required value: must specify one of v1, v1beta1',
      ],
      [
        'an unknown version',
        { admissionReviewVersions: ['v9'] },
        'admissionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
      ],
      [
        'a timeout of 0',
        { timeoutSeconds: 0 },
        'timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds',
      ],
      [
        'a timeout of 31',
        { timeoutSeconds: 31 },
        'timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
      ],
      [
        'no sideEffects',
        { sideEffects: undefined },
        'sideEffects: Required value: must specify one of None, NoneOnDryRun',
      ],
      [
        'side effects',
        { sideEffects: 'Some' },
        'sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
      ],
      [
        'a failurePolicy',
        { failurePolicy: 'X' },
        'failurePolicy: Unsupported value: "X": supported values: "Fail", "Ignore"',
      ],
      [
        'no clientConfig',
        { clientConfig: {} },
        'clientConfig: Required value: exactly one of url or service is required',
      ],
      [
        'a URL without TLS',
        { clientConfig: { url: 'http://x' } },
        `clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      ],
      [
        'a URL with a query',
        { clientConfig: { url: 'https://x?a=b' } },
        'clientConfig.url: Invalid value: "a=b": query parameters are not permitted in the URL',
      ],
      [
        'a URL with a user',
        { clientConfig: { url: 'https://u:p@x' } },
        'clientConfig.url: Invalid value: "u:p": user information is not permitted in the URL',
      ],
      [
        'a path of a service',
        { clientConfig: { service: { name: 'a', namespace: 'b', path: '/x//y' } } },
        'clientConfig.service.path: Invalid value: "/x//y": segment[1] may not be empty',
      ],
      [
        'an operation',
        { rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['FOO'] }] },
        'rules[0].operations[0]: Unsupported value: "FOO": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      ],
      [
        'resources',
        { rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['*', 'pods'], operations: ['*'] }] },
        `rules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
      ],
      [
        'an objectSelector',
        { objectSelector: { matchExpressions: [{ key: 'a', operator: 'Foo' }] } },
        'objectSelector.matchExpressions[0].operator: Invalid value: "Foo": not a valid selector operator',
      ],
      [
        'a condition that is no boolean',
        { matchConditions: [{ name: 'a', expression: '1' }] },
        'matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got int',
      ],
    ])('is refused with %s', async (_what, changes, problem) => {
      const { status, body } = await posted('Validating', [{ ...HOOK, ...changes }]);

      expect(status).toBe(422);
      expect(body['message']).toMatch(
        /^ValidatingWebhookConfiguration\.admissionregistration\.k8s\.io "law-\w+" is invalid: /,
      );
      expect(textOf(body['message']).split(' is invalid: ')[1]).toBe(`webhooks[0].${problem}`);
    });

    it('is refused with one name for two webhooks, and with conditions that do not compile', async () => {
      const twice = await posted('Mutating', [HOOK, HOOK]);
      const wrong = await posted('Mutating', [{ ...HOOK, matchConditions: [{ name: 'a', expression: 'nope.x' }] }]);

      expect(twice.body['details']?.['causes']).toEqual([
        {
          reason: 'FieldValueDuplicate',
          message: 'Duplicate value: "a.laws.example.com"',
          field: 'webhooks[1].name',
        },
      ]);
      expect(wrong.body['message']).toContain(
        'matchConditions[0].expression: Invalid value: "nope.x": compilation failed',
      );
    });

    it('is applied by the names of its webhooks', async () => {
      const { client } = bench();
      const name = freshName('law');
      const apply = (manager: string, hook: string): ReturnType<typeof client.patch> =>
        client.patch(`${configurations('Validating', name)}?fieldManager=${manager}`, 'apply', {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingWebhookConfiguration',
          metadata: { name },
          webhooks: [{ ...HOOK, name: hook }],
        });

      await apply('one', 'a.laws.example.com');
      const { body } = await apply('two', 'b.laws.example.com');
      await client.delete(configurations('Validating', name));

      const webhooks = body['webhooks'] as unknown as readonly { readonly name: string }[];
      expect(webhooks.map((hook) => hook.name)).toEqual(['a.laws.example.com', 'b.laws.example.com']);
    });
  });
}
