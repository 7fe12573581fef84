import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox, type AccessAttributes, type Sandbox } from '@hooklet/sandbox';
import { asking } from '@hooklet/sandbox/testing';
import { CONVERTS, converting, cronTabDefinition } from '../support/conversion-crd.ts';
import { recordingHook, sandboxCluster, startOperator, until, type OperatorRig } from '../support/operator-rig.ts';
import { startWebhooks } from '../support/webhook-rig.ts';

/** A test starts an operator with real processes, on a machine that may be busy. */
const LIMIT_MS = 60_000;
const RULES = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }];
const JUDGE = recordingHook({
  configVersion: 'v1',
  kubernetesValidating: [{ name: 'maps.example.com', rules: RULES }],
});
const CONVERTER = recordingHook(Object(converting(['v1>v2', 'v2>v1'])), CONVERTS);
const ENV = { POD_NAME: 'me', POD_NAMESPACE: 'default' };

const rule = (group: string, resource: string, verbs: string): string =>
  `{apiGroups: ["${group}"], resources: [${resource}], verbs: [${verbs}]}`;

/** A sandbox that refuses what matches, once `begin` was called. */
async function sandboxRefusing(refused: RegExp): Promise<{ sandbox: Sandbox; begin: () => void }> {
  let isAdmin = true;
  const sandbox = await startSandbox({
    authorize: ({ verb, resource }: AccessAttributes) => isAdmin || !refused.test(`${verb} ${resource}`),
  });
  onTestFinished(async () => sandbox.close());
  return { sandbox, begin: () => void (isAdmin = false) };
}

function told({ lines }: OperatorRig): string {
  return lines
    .map(({ message, fields }) => {
      const values = Object.values(fields).map((value) => (value instanceof Error ? value.message : String(value)));
      return [message, ...values].join(' ');
    })
    .join('\n');
}

async function tells(operator: OperatorRig, ...expected: readonly string[]): Promise<void> {
  await until(() => {
    for (const text of expected) expect(told(operator)).toContain(text);
  }, 30_000);
}

describe('what the API server forbids', { timeout: LIMIT_MS }, () => {
  it.each([
    [
      'the registration of webhooks',
      /(?:create|patch|update) validatingwebhook/,
      'admissionregistration.k8s.io',
      'validatingwebhookconfigurations',
      'patch',
    ],
    [
      'a look at what is registered',
      /(?:get|list|watch) validatingwebhook/,
      'admissionregistration.k8s.io',
      'validatingwebhookconfigurations',
      'list, watch',
    ],
    [
      'the converter in a definition',
      /(?:patch|update) customresource/,
      'apiextensions.k8s.io',
      'customresourcedefinitions',
      'patch',
    ],
    [
      'a look at a definition',
      /(?:get|list|watch) customresource/,
      'apiextensions.k8s.io',
      'customresourcedefinitions',
      'list, watch',
    ],
  ])('has the rule to add in the log and at /readyz, for %s', async (...row) => {
    const [, refused, group, resource, verbs] = row;
    const { sandbox, begin } = await sandboxRefusing(refused);
    await asking(sandbox)(
      'POST',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      cronTabDefinition(['v1', 'v2']),
    );
    begin();
    await using operator = await startWebhooks({
      connect: sandboxCluster(sandbox),
      hooks: { 'judge.sh': JUDGE, 'convert.sh': CONVERTER },
      env: ENV,
    });

    await tells(operator, rule(group, resource, verbs), 'to a ClusterRole');
    await until(async () => {
      const readiness = await (await fetch(`${operator.url()}/readyz?verbose`)).text();
      expect(readiness).toContain(rule(group, resource, verbs));
    }, 30_000);
  });

  it('has the rule to add in the log, for the Secret with the certificate of webhooks', async () => {
    const { sandbox, begin } = await sandboxRefusing(/ secrets/);
    begin();
    await using operator = await startWebhooks({
      connect: sandboxCluster(sandbox),
      hooks: { 'judge.sh': JUDGE },
      env: ENV,
      settings: { certificates: { type: 'self' } },
    });

    await tells(operator, `add the rule ${rule('', 'secrets', 'get')} to a Role in the namespace default`);
  });

  it.each([
    ['tokenreviews', 'authentication.k8s.io'],
    ['subjectaccessreviews', 'authorization.k8s.io'],
  ])('has the rule to add in the log, for the %s of callers of http bindings', async (resource, group) => {
    const { sandbox, begin } = await sandboxRefusing(new RegExp(`create ${resource}`));
    begin();
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'deploy.sh': recordingHook({ configVersion: 'v1', http: [{ name: 'deploy' }] }) },
      env: ENV,
      operator: { httpTriggers: true },
    });
    const headers = { authorization: 'Bearer some-token' };
    const post = async (): Promise<number> =>
      (await fetch(`${operator.url()}/trigger/deploy.sh/deploy`, { method: 'POST', headers })).status;

    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200), 30_000);
    expect(await post()).toBe(503);
    await tells(operator, `the caller cannot be checked`, `${rule(group, resource, 'create')} to a ClusterRole`);
  });

  it.each([
    ['tokenreviews', 'authentication.k8s.io'],
    ['subjectaccessreviews', 'authorization.k8s.io'],
  ])('has the rule to add in the log, for the %s of the page, of which strangers are told nothing', async (...row) => {
    const [resource, group] = row;
    const { sandbox, begin } = await sandboxRefusing(new RegExp(`create ${resource}`));
    begin();
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: {},
      env: ENV,
      operator: { page: { address: '127.0.0.1', port: 0, hosts: [], isOpen: false } },
    });
    const page = (): unknown => operator.lines.find(({ fields }) => fields['page'] !== undefined)?.fields['page'];
    await until(() => expect(page()).toBeDefined(), 30_000);
    const url = String(page()).replace('localhost', '127.0.0.1');
    const answer = await fetch(url, { headers: { authorization: 'Bearer some-token' } });

    await tells(operator, 'a request to the page failed', `${rule(group, resource, 'create')} to a ClusterRole`);
    expect(answer.status).toBe(500);
    const isStranger = resource === 'tokenreviews';
    expect((await answer.text()).includes('add the rule')).toBe(!isStranger);
  });

  it('has the rule to add in the log, for Events about its own Pod', async () => {
    const { sandbox, begin } = await sandboxRefusing(/create events/);
    begin();
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'broken.sh': '#!/bin/sh\nexit 1\n' },
      env: ENV,
    });

    await tells(operator, 'cannot write Events about the pod', rule('', 'events', 'create, patch'));
  });
});
