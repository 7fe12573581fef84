import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Authorize, Sandbox } from '@hooklet/sandbox';
import { listWebhooks } from '../../src/cli/webhooks/webhooks.ts';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import { writtenBy } from '../../src/sources/admission/registered.ts';
import { asking, sandboxForTest } from '@hooklet/sandbox/testing';
import { recordingHook, sandboxCluster, until } from '../support/operator-rig.ts';
import { startWebhooks, type WebhookRig, type WebhookRigOptions } from '../support/webhook-rig.ts';

/** A test starts an operator with real processes, on a machine that may be busy. */
const LIMIT_MS = 120_000;
const RULES = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }];
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';
const VALIDATING = `${CONFIGURATIONS}/validatingwebhookconfigurations/test-hooks`;
const MUTATING = `${CONFIGURATIONS}/mutatingwebhookconfigurations/test-hooks`;

const ALLOWS = `echo '{"allowed":true}' > "$VALIDATING_RESPONSE_PATH"`;

const validating = (name: string, more: object = {}) => ({
  configVersion: 'v1',
  kubernetesValidating: [{ name, rules: RULES, ...more }],
});

/** A hook that answers a request with this, and records its contexts. */
const answers = (config: object, response: unknown, more = ''): string =>
  recordingHook(config, `${more}\ncat > "$VALIDATING_RESPONSE_PATH" <<'END'\n${JSON.stringify(response)}\nEND`);

async function rigOf(sandbox: Sandbox, options: Omit<WebhookRigOptions, 'connect'>): Promise<WebhookRig> {
  return startWebhooks({ connect: sandboxCluster(sandbox), ...options });
}

/** The webhooks that are registered, by name. */
async function registered(sandbox: Sandbox, path = VALIDATING): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { body } = await asking(sandbox)('GET', path);
  return Array.isArray(body['webhooks']) ? body['webhooks'] : [];
}

async function names(sandbox: Sandbox, path = VALIDATING): Promise<readonly unknown[]> {
  return (await registered(sandbox, path)).map(({ name }) => name);
}

async function readiness(rig: WebhookRig): Promise<string> {
  const response = await fetch(`${rig.url()}/readyz?verbose`);
  return `${response.status} ${await response.text()}`;
}

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });

describe('a hook with a webhook', { timeout: LIMIT_MS }, () => {
  it('is registered, asked with its snapshots, and answers', async () => {
    const sandbox = await sandboxForTest();
    await asking(sandbox)('POST', '/api/v1/namespaces/default/configmaps', configMap('seen'));
    const config = {
      ...validating('maps.example.com', { includeSnapshotsFrom: ['maps'], failurePolicy: 'Ignore' }),
      kubernetes: [
        {
          name: 'maps',
          kind: 'ConfigMap',
          jqFilter: '.metadata.name',
          executeHookOnEvent: [],
          executeHookOnSynchronization: false,
          keepFullObjectsInMemory: false,
        },
      ],
    };
    await using rig = await rigOf(sandbox, {
      hooks: { 'a.sh': answers(config, { allowed: false, message: 'not so', warnings: ['w'] }) },
    });
    await until(async () => expect(await names(sandbox)).toEqual(['maps.example.com']));

    const { response } = await rig.review('/hooks/maps-example-com', { object: { n: 1 } }, '?timeout=10s');

    expect(response).toEqual({
      uid: 'uid-1',
      allowed: false,
      status: { code: 403, message: 'not so' },
      warnings: ['w'],
    });
    expect(rig.contexts('a.sh')).toEqual([
      {
        binding: 'maps.example.com',
        type: 'Validating',
        review: { request: expect.objectContaining({ uid: 'uid-1', object: { n: 1 }, oldObject: null }) },
        snapshots: { maps: [{ filterResult: 'seen' }] },
      },
    ]);
    const [webhook] = await registered(sandbox);
    expect(webhook).toEqual({
      name: 'maps.example.com',
      admissionReviewVersions: ['v1', 'v1beta1'],
      clientConfig: {
        url: `https://127.0.0.1:${rig.port}/hooks/maps-example-com`,
        caBundle: Buffer.from(rig.certificate.cert).toString('base64'),
      },
      failurePolicy: 'Ignore',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      rules: [{ ...RULES[0], scope: '*' }],
      sideEffects: 'None',
      timeoutSeconds: 10,
    });
    await until(async () => expect(await readiness(rig)).toMatch(/^200 [^]*\[\+\]webhook-server ok/));
    expect(await names(sandbox, MUTATING)).toEqual([]);
  });

  it('that fails, writes nonsense, or asks for what is refused denies, and names itself and what', async () => {
    const bad = { operation: 'Create', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '_' } } };
    const patch = `${ALLOWS}; echo '${JSON.stringify(bad)}' > "$KUBERNETES_PATCH_PATH"`;
    const cases: readonly (readonly [name: string, body: string, message: string, code: number])[] = [
      ['fails', 'exit 1', 'exit code 1', 403],
      ['silent', ':', 'ADMISSION_RESPONSE_PATH is empty', 500],
      ['nonsense', 'echo yes > "$ADMISSION_RESPONSE_PATH"', 'ADMISSION_RESPONSE_PATH is not one JSON object', 403],
      ['later', 'exit 75', 'it says that its work cannot be done yet', 403],
      ['refused', patch, 'ERR_PATCH', 403],
      ['invalid', `${ALLOWS}; echo '{"operation":"hush"}' > "$KUBERNETES_PATCH_PATH"`, 'document 1, line 1', 403],
    ];
    const hooks = cases.map(([name, body]) => [`${name}.sh`, recordingHook(validating(`${name}.example.com`), body)]);
    const sandbox = await sandboxForTest();
    await using rig = await rigOf(sandbox, { hooks: Object.fromEntries(hooks) });
    await until(async () => expect(await names(sandbox)).toHaveLength(cases.length));

    for (const [name, , message, code] of cases) {
      const { response } = await rig.review(`/hooks/${name}-example-com`);

      expect(response).toMatchObject({ uid: 'uid-1', allowed: false, status: { code } });
      const start = `Hook failed: hook ${name}.sh, kubernetesValidating ${name}.example.com: `;
      expect(JSON.stringify(response)).toContain(start);
      expect(JSON.stringify(response)).toContain(message);
      expect(JSON.stringify(response)).toMatch(/ \(run [-0-9a-f]{36}\)"/);
      expect(JSON.stringify(response)).not.toContain('hush');
    }
  });

  it('that writes nonsense has failed, and nothing that it asked for is done', async () => {
    const patch = JSON.stringify({ operation: 'Create', object: configMap('made') });
    const body = (response: string) =>
      `echo '${patch}' > "$KUBERNETES_PATCH_PATH"; echo '${response}' > "$ADMISSION_RESPONSE_PATH"`;
    const sandbox = await sandboxForTest();
    const hooks = { 'a.sh': recordingHook(validating('a.example.com'), body('{"allowed":true} {"allowed":false}')) };
    await using rig = await rigOf(sandbox, { hooks, operator: { logCompat: true } });
    await until(async () => expect(await names(sandbox)).toEqual(['a.example.com']));

    const { response } = await rig.review('/hooks/a-example-com');

    expect(response).toMatchObject({ allowed: false, status: { code: 403 } });
    const messages = rig.lines.map(({ message }) => message);
    expect(messages).toEqual(expect.arrayContaining(['Got AdmissionReview request', 'Execute hook']));
    expect(messages).toContain('Hook failed. Will retry after delay.');
    expect((await asking(sandbox)('GET', '/api/v1/namespaces/default/configmaps/made')).status).toBe(404);
    const metrics = await (await fetch(`${rig.url()}/metrics`)).text();
    expect(metrics).toMatch(/hook_run_errors_total\{[^}]*binding="a.example.com"[^}]*\} 1\n/);
  });

  it('is called by the API server, which tells its user what the hook said', async () => {
    const sandbox = await sandboxForTest();
    const filter = '{allowed: (.[0].review.request.name != "no"), message: "the name says no", warnings: ["seen"]}';
    const body = `jq '${filter}' "$BINDING_CONTEXT_PATH" > "$VALIDATING_RESPONSE_PATH"`;
    await using _rig = await rigOf(sandbox, { hooks: { 'a.sh': recordingHook(validating('a.example.com'), body) } });
    await until(async () => expect(await names(sandbox)).toEqual(['a.example.com']));
    const create = async (name: string) =>
      asking(sandbox)('POST', '/api/v1/namespaces/default/configmaps', configMap(name));

    expect(await create('no')).toMatchObject({
      status: 403,
      body: { message: 'admission webhook "a.example.com" denied the request: the name says no' },
    });
    const { status, headers } = await create('yes');
    expect([status, headers.get('warning')]).toEqual([201, '299 - "seen"']);
  });

  it.each([
    ['a warm hook', 'a.ts', ''],
    ['a process', 'a', '#!/usr/bin/env node\n'],
  ])('in TypeScript answers as %s', async (_, name, firstLine) => {
    const sandbox = await sandboxForTest();
    const sdk = new URL('../../src/sdk/index.ts', import.meta.url).href;
    const from = firstLine === '' ? 'hooklet' : sdk;
    const hook = `${firstLine}import { defineHook, mutating } from '${from}';
export default defineHook({
  bindings: { 'm.example.com': mutating({ rules: ${JSON.stringify(RULES)} }) },
  run({ contexts: [context], answer }) {
    const { object } = context.request;
    answer.warn('seen');
    answer.allowAs({ ...object, data: { by: 'hook' } });
  },
});`;
    await using _rig = await rigOf(sandbox, { hooks: { [name]: hook } });
    await until(async () => expect(await names(sandbox, MUTATING)).toEqual(['m.example.com']));

    const made = await asking(sandbox)('POST', '/api/v1/namespaces/default/configmaps', configMap('a'));
    expect(made).toMatchObject({ status: 201, body: { data: { by: 'hook' } } });
  });

  it('that takes too long is ended, and its caller gets an answer in time', async () => {
    const sandbox = await sandboxForTest();
    await using rig = await rigOf(sandbox, {
      hooks: { 'a.sh': recordingHook(validating('a.example.com'), 'exec sleep 600') },
    });
    await until(async () => expect(await names(sandbox)).toEqual(['a.example.com']));

    expect(await rig.review('/hooks/a-example-com', {}, '?timeout=1s')).toMatchObject({
      status: 500,
      body: 'hook a.sh, kubernetesValidating a.example.com: no answer within 500ms\n',
    });
    await until(() => {
      const { fields } = rig.lines.find(({ message }) => message.startsWith('hook failed, and its caller')) ?? {};
      expect(String(fields?.['err'])).toContain('it was ended: no answer within 500ms');
    });
  });

  it('of a dry run leaves no trace', async () => {
    const sandbox = await sandboxForTest();
    // Not a ConfigMap: the webhook would judge it, and the hook would be asked again.
    const patch = JSON.stringify({ operation: 'CreateOrUpdate', object: { ...configMap('made'), kind: 'Secret' } });
    const body = `echo '${patch}' > "$KUBERNETES_PATCH_PATH"; echo '{"name":"asked","action":"add","value":1}' > "$METRICS_PATH"`;
    const hook = answers(validating('a.example.com', { sideEffects: 'NoneOnDryRun' }), { allowed: true }, body);
    await using rig = await rigOf(sandbox, { hooks: { 'a.sh': hook } });
    await until(async () => expect(await names(sandbox)).toEqual(['a.example.com']));
    const made = async () => (await asking(sandbox)('GET', '/api/v1/namespaces/default/secrets/made')).status;
    const metrics = async () => (await fetch(`${rig.url()}/metrics/hooks`)).text();

    expect(await rig.review('/hooks/a-example-com', { dryRun: true })).toMatchObject({ response: { allowed: true } });
    expect(await made()).toBe(404);
    expect(await metrics()).not.toContain('asked');

    expect((await rig.review('/hooks/a-example-com')).response).toMatchObject({ allowed: true });
    expect(await made()).toBe(200);
    await until(async () => expect(await metrics()).toContain('asked'));
  });

  it('that mutates answers with the patch of the object that it wrote', async () => {
    const sandbox = await sandboxForTest();
    const config = { configVersion: 'v1', kubernetesMutating: [{ name: 'm.example.com', rules: RULES }] };
    const body = `jq '{allowed: true, object: (.[0].review.request.object | .metadata.labels = {a: "b"})}' "$BINDING_CONTEXT_PATH" > "$VALIDATING_RESPONSE_PATH"`;
    await using rig = await rigOf(sandbox, { hooks: { 'a.sh': recordingHook(config, body) } });
    await until(async () => expect(await names(sandbox, MUTATING)).toEqual(['m.example.com']));

    const { response } = await rig.review('/hooks/m-example-com');

    expect(response).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
    expect(JSON.parse(Buffer.from(String(response['patch']), 'base64').toString())).toEqual([
      { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
    ]);
  });
});

describe('what is registered', { timeout: LIMIT_MS }, () => {
  it('follows the hooks: it comes and goes with them, and the last takes the configuration with it', async () => {
    const sandbox = await sandboxForTest();
    await using rig = await rigOf(sandbox, {
      hooks: { 'a.sh': answers(validating('a.example.com'), { allowed: true }) },
    });
    await until(async () => expect(await names(sandbox)).toEqual(['a.example.com']));

    rig.change('b.sh', answers(validating('b.example.com'), { allowed: true }));
    await until(async () => expect(await names(sandbox)).toEqual(['a.example.com', 'b.example.com']));
    rig.change('a.sh');
    await until(async () => expect(await names(sandbox)).toEqual(['b.example.com']));
    rig.change('b.sh');
    await until(async () => expect(await names(sandbox)).toEqual([]));
  });

  it('is repaired when somebody empties it, and left alone at the end', async () => {
    const sandbox = await sandboxForTest();
    const rig = await rigOf(sandbox, { hooks: { 'a.sh': answers(validating('a.example.com'), { allowed: true }) } });
    await until(async () => expect(await names(sandbox)).toEqual(['a.example.com']));

    await asking(sandbox)('PATCH', VALIDATING, { webhooks: [] }, 'application/merge-patch+json');
    await until(async () => expect(await names(sandbox)).toEqual(['a.example.com']));
    await asking(sandbox)('DELETE', VALIDATING);
    await until(async () => expect(await names(sandbox)).toEqual(['a.example.com']));

    await rig.stop();
    expect(await names(sandbox)).toEqual(['a.example.com']);
  });

  it('by an earlier version of the hooks is taken back, without a port and with the key of its certificate', async () => {
    const sandbox = await sandboxForTest();
    const secret = '/api/v1/namespaces/default/secrets/test-webhook-certs';
    const data = { 'tls.crt': 'YQ==', 'tls.key': 'Yg==', 'ca.key': 'Yw==' };
    await asking(sandbox)('POST', '/api/v1/namespaces/default/secrets', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'test-webhook-certs', namespace: 'default' },
      type: 'kubernetes.io/tls',
      data,
    });
    const settings = { certificates: { type: 'self' }, url: '' } as const;
    const env = { POD_NAME: 'old', POD_NAMESPACE: 'default' };
    await asking(sandbox)('POST', `${CONFIGURATIONS}/validatingwebhookconfigurations`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'test-hooks', ...writtenBy({ generation: 1, name: 'old' }, 'default') },
      webhooks: [
        {
          name: 'a.example.com',
          clientConfig: { url: 'https://127.0.0.1:1/hooks/a' },
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
        },
      ],
    });
    await using rig = await rigOf(sandbox, {
      hooks: { 'a.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }) },
      env: { ...env, POD_NAME: 'new' },
      settings,
    });

    await until(async () => expect(await names(sandbox)).toEqual([]));
    await expect(rig.review('/hooks/a')).rejects.toThrow('ECONNREFUSED');
    expect((await asking(sandbox)('GET', secret)).body).toMatchObject({ data });
    // After a minute hooklet does it.
    await asking(sandbox)('DELETE', VALIDATING);
    await until(async () => {
      expect((await asking(sandbox)('GET', secret)).body['data']).toEqual({ 'tls.crt': '', 'tls.key': '' });
    });

    rig.change('b.sh', answers(validating('b.example.com'), { allowed: true }));
    await until(async () => expect(await names(sandbox)).toEqual(['b.example.com']));
  });

  it('of another installation is not touched, and the reason is told', async () => {
    const sandbox = await sandboxForTest();
    const metadata = {
      name: 'test-hooks',
      labels: { 'app.kubernetes.io/managed-by': 'hooklet' },
      annotations: { 'hooklet.dev/namespace': 'other' },
    };
    const kind = 'ValidatingWebhookConfiguration';
    await asking(sandbox)('POST', `${CONFIGURATIONS}/validatingwebhookconfigurations`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata,
      webhooks: [],
    });
    await using rig = await rigOf(sandbox, {
      hooks: { 'a.sh': answers(validating('a.example.com'), { allowed: true }) },
    });

    await until(async () =>
      expect(await readiness(rig)).toContain(`${kind} test-hooks belongs to the hooklet in the namespace other`),
    );
    expect(await names(sandbox)).toEqual([]);
  });

  it('leaves out what the API server refuses, says which hook wants it and why, until that hook is mended', async () => {
    const sandbox = await sandboxForTest();
    const where = (expression: string) => ({ matchConditions: [{ name: 'x', expression }] });
    const hookOf = (name: string, more: object = {}): string =>
      answers(validating(name, more), { allowed: false, message: name });
    await using rig = await rigOf(sandbox, {
      hooks: {
        'a.sh': hookOf('a.example.com', where('object.metadata.name = 1')),
        'b.sh': hookOf('b.example.com'),
        'c.sh': hookOf('c.example.com', where(')')),
      },
    });
    await until(async () => expect(await names(sandbox)).toEqual(['b.example.com']));

    const refused = rig.lines.filter(({ level, message }) => level === 'error' && message.includes('refuses'));
    expect(refused.map(({ fields }) => [fields['hook'], fields['webhook']])).toEqual([
      ['a.sh', 'a.example.com'],
      ['c.sh', 'c.example.com'],
    ]);
    expect(refused[0]?.fields['reason']).toMatch(/^matchConditions\[0\]\.expression: Invalid value: "object\.meta/);
    const text = await readiness(rig);
    expect(text).toMatch(/^200 /);
    expect(text).toContain('[!]webhook a.example.com: the API server refuses what a.sh wants');
    expect(text).toContain('[!]webhook c.example.com: the API server refuses what c.sh wants');
    const metric = async (webhook: string): Promise<string | undefined> => {
      const page = await (await fetch(`${rig.url()}/metrics`)).text();
      return new RegExp(`webhook_registered\\{[^}]*"${webhook}"[^}]*\\} (.)`).exec(page)?.[1];
    };
    await until(async () => {
      expect([await metric('a.example.com'), await metric('b.example.com')]).toEqual(['0', '1']);
    });
    expect(await asking(sandbox)('POST', '/api/v1/namespaces/default/configmaps', configMap('no'))).toMatchObject({
      status: 403,
    });

    rig.change('a.sh', hookOf('a.example.com', where('object.metadata.name == "x"')));
    await until(async () => expect(await names(sandbox)).toEqual(['a.example.com', 'b.example.com']));
    await until(async () => expect(await metric('a.example.com')).toBe('1'));
    expect(await readiness(rig)).not.toContain('webhook a.example.com');
    expect(await readiness(rig)).toContain('[!]webhook c.example.com');
  });

  it('by a hook that is broken now tells its caller so, logs it once, and is for nobody to answer', async () => {
    const sandbox = await sandboxForTest();
    const good = answers(validating('b.example.com', { failurePolicy: 'Ignore' }), { allowed: true });
    await using rig = await rigOf(sandbox, {
      hooks: { 'a.sh': answers(validating('a.example.com'), { allowed: true }), 'b.sh': good },
    });
    await until(async () => expect(await names(sandbox)).toHaveLength(2));
    const create = async () => asking(sandbox)('POST', '/api/v1/namespaces/default/configmaps', configMap('c'));

    rig.change('a.sh', 'exit 3');
    await until(async () => expect(await readiness(rig)).toContain('[-]hook a.sh'));

    const text = 'hook a.sh is broken and does not run, see its log';
    await until(async () => expect(JSON.stringify((await create()).body)).toContain(text));
    await create();
    expect((await create()).status).toBeGreaterThanOrEqual(400);
    expect(await rig.review('/hooks/c-example-com')).toMatchObject({
      status: 500,
      body: expect.stringMatching(/^no hook that runs has this webhook[^]*: a\.sh\n$/),
    });
    const told = rig.lines.filter(({ message }) => message === 'a webhook was called in vain');
    expect(told.map(({ fields }) => fields['binding'])).toEqual(['a.example.com', undefined]);
    const page = await (await fetch(`${rig.url()}/metrics`)).text();
    expect(page).toMatch(/admission_requests_total\{[^}]*"a\.example\.com"[^}]*result="refused"[^}]*\} [2-9]/);
    expect(await names(sandbox)).toEqual(['a.example.com', 'b.example.com']);

    const client = createKubeClient(await sandboxCluster(sandbox)(), { userAgent: 'test' });
    onTestFinished(async () => client.close());
    let printed = '';
    const stdout = (line: string): void => void (printed += line);
    expect(await listWebhooks({ client, stdout, signal: new AbortController().signal })).toBe(1);
    expect(printed).toMatch(/a\.example\.com .* no: no hook there has it, or it is broken\n/);
    expect(printed).toMatch(/b\.example\.com .* yes\n/);
  });

  it('keeps what was registered before a hook was changed to what the API server refuses', async () => {
    const sandbox = await sandboxForTest();
    const hook = (more: object): string => answers(validating('a.example.com', more), { allowed: true });
    await using rig = await rigOf(sandbox, { hooks: { 'a.sh': hook({ timeoutSeconds: 7 }) } });
    await until(async () => expect(await names(sandbox)).toEqual(['a.example.com']));

    rig.change('a.sh', hook({ timeoutSeconds: 8, matchConditions: [{ name: 'x', expression: ')' }] }));
    rig.change('b.sh', answers(validating('b.example.com'), { allowed: true }));

    await until(async () => expect(await names(sandbox)).toEqual(['a.example.com', 'b.example.com']));
    await until(async () => expect(await readiness(rig)).toContain('[!]webhook a.example.com'));
    expect((await registered(sandbox))[0]).toMatchObject({ timeoutSeconds: 7 });
  });

  it('leaves out the namespace of hooklet, unless a webhook says otherwise', async () => {
    const sandbox = await sandboxForTest();
    const config = {
      configVersion: 'v1',
      kubernetesValidating: [
        { name: 'a.example.com', rules: RULES, namespaceSelector: { matchLabels: { a: 'b' } } },
        { name: 'b.example.com', rules: RULES, matchOwnNamespace: true },
      ],
    };
    const env = { POD_NAME: 'hooklet-1', POD_NAMESPACE: 'tools' };
    await using _rig = await rigOf(sandbox, { hooks: { 'a.sh': answers(config, { allowed: true }) }, env });
    await until(async () => expect(await names(sandbox)).toHaveLength(2));

    expect((await registered(sandbox)).map(({ namespaceSelector }) => namespaceSelector)).toEqual([
      {
        matchLabels: { a: 'b' },
        matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['tools'] }],
      },
      {},
    ]);
  });

  it('is registered with the rights to list, create and update alone, and what others wrote there stays', async () => {
    const verbs = ['get', 'list', 'create', 'update'];
    let writes = 0;
    const authorize: Authorize = ({ resource, verb }) => {
      if (!resource.endsWith('hookconfigurations')) return true;
      if (['create', 'update'].includes(verb)) writes += 1;
      return verbs.includes(verb);
    };
    const sandbox = await sandboxForTest({ authorize });
    const labels = { 'app.kubernetes.io/instance': 'shop' };
    const old = { name: 'old.example.com', clientConfig: { url: 'https://127.0.0.1/x' }, sideEffects: 'None' };
    await asking(sandbox)('POST', `${CONFIGURATIONS}/mutatingwebhookconfigurations`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'test-hooks', labels },
      webhooks: [{ ...old, admissionReviewVersions: ['v1'] }],
    });
    const config = {
      ...validating('a.example.com'),
      kubernetesMutating: [{ name: 'b.example.com', rules: RULES }],
    };

    await using rig = await rigOf(sandbox, { hooks: { 'a.sh': answers(config, { allowed: true }) } });

    await until(async () => expect(await names(sandbox)).toEqual(['a.example.com']));
    await until(async () => expect(await names(sandbox, MUTATING)).toEqual(['b.example.com']));
    const { body } = await asking(sandbox)('GET', MUTATING);
    await setTimeout(3000);
    // One by the test, and one for each kind.
    expect(writes).toBe(3);
    expect(body).toMatchObject({ metadata: { labels: { ...labels, 'app.kubernetes.io/managed-by': 'hooklet' } } });
    expect((await rig.review('/hooks/a-example-com')).response).toMatchObject({ allowed: true });
  });

  it('judges the namespace of hooklet where the flag says so, unless a webhook says otherwise', async () => {
    const sandbox = await sandboxForTest();
    const config = {
      configVersion: 'v1',
      kubernetesValidating: [
        { name: 'a.example.com', rules: RULES },
        { name: 'b.example.com', rules: RULES, matchOwnNamespace: false },
      ],
    };
    const env = { POD_NAME: 'hooklet-1', POD_NAMESPACE: 'tools' };
    const hooks = { 'a.sh': answers(config, { allowed: true }) };
    await using _rig = await rigOf(sandbox, { hooks, env, matchOwnNamespace: true });
    await until(async () => expect(await names(sandbox)).toHaveLength(2));

    expect((await registered(sandbox)).map(({ namespaceSelector }) => namespaceSelector)).toEqual([
      {},
      { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['tools'] }] },
    ]);
  });

  it('has each name once: of two hooks with one name the second is broken until the first is gone', async () => {
    const sandbox = await sandboxForTest();
    const hook = (message: string): string => answers(validating('a.example.com'), { allowed: false, message });
    await using rig = await rigOf(sandbox, { hooks: { 'a.sh': hook('a'), 'b.sh': hook('b') } });
    await until(async () => expect(await names(sandbox)).toEqual(['a.example.com']));
    await until(async () => expect(await readiness(rig)).toContain('another hook has its webhook name'));
    expect((await rig.review('/hooks/a-example-com')).response).toMatchObject({ status: { message: 'a' } });

    rig.change('a.sh');

    await until(async () =>
      expect((await rig.review('/hooks/a-example-com')).response).toMatchObject({ status: { message: 'b' } }),
    );
  });
});

describe('a replica that stands by', { timeout: LIMIT_MS }, () => {
  it('answers too, with snapshots, and runs nothing else', async () => {
    const sandbox = await sandboxForTest();
    await asking(sandbox)('POST', '/api/v1/namespaces/default/configmaps', configMap('seen'));
    const config = {
      ...validating('a.example.com', { includeSnapshotsFrom: ['maps'] }),
      onStartup: 1,
      kubernetes: [{ name: 'maps', kind: 'ConfigMap', jqFilter: '.metadata.name', keepFullObjectsInMemory: false }],
    };
    const leaderElection = { leaseName: 'x', leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 200 };
    const lease = { holderIdentity: 'other', leaseDurationSeconds: 3600, renewTime: '2199-01-01T00:00:00.000000Z' };
    await asking(sandbox)('POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'x' },
      spec: lease,
    });
    const hooks = { 'a.sh': answers(config, { allowed: true }) };
    const env = { POD_NAME: 'standby', POD_NAMESPACE: 'default' };
    await using rig = await rigOf(sandbox, { hooks, env, operator: { leaderElection } });
    await until(async () => expect(await names(sandbox)).toEqual(['a.example.com']));

    expect((await rig.review('/hooks/a-example-com')).response).toMatchObject({ allowed: true });
    expect(rig.contexts('a.sh')).toEqual([
      expect.objectContaining({ type: 'Validating', snapshots: { maps: [{ filterResult: 'seen' }] } }),
    ]);
    await asking(sandbox)('POST', '/api/v1/namespaces/default/configmaps', configMap('later'));
    await until(async () => {
      await rig.review('/hooks/a-example-com');
      expect(rig.contexts('a.sh').at(-1)).toMatchObject({
        snapshots: { maps: [{ filterResult: 'later' }, { filterResult: 'seen' }] },
      });
    });
    expect(new Set(rig.contexts('a.sh').map(({ type }) => type))).toEqual(new Set(['Validating']));
    expect(existsSync(join(rig.out, 'started'))).toBe(false);
    expect(await readiness(rig)).toMatch(/^200 [^]*\[\+\]webhook-snapshots ok/);
  });
});
