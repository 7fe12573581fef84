import { describe, expect, it } from 'vitest';
import { recordingHook } from '../support/operator-rig.ts';
import { startWebhooks, type WebhookRig } from '../support/webhook-rig.ts';
import { connectAs, handsOn, until, type Hands } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
const LIMIT_MS = 180_000;
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';

interface Rig {
  readonly hands: Hands;
  readonly operator: WebhookRig;
  readonly webhooks: (kind: 'validating' | 'mutating') => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** An operator with this hook, whose webhooks are registered for ConfigMaps of a namespace of the test. */
async function rig(body: string, entry: (hands: Hands) => object): Promise<Rig & AsyncDisposable> {
  const hands = await handsOn(plane);
  const hook = recordingHook({ configVersion: 'v1', ...entry(hands) }, body);
  const configurationName = hands.namespace;
  const operator = await startWebhooks({
    connect: connectAs(plane, 'admin'),
    hooks: { 'a.sh': hook },
    configurationName,
  });
  const path = (kind: string): string => `${CONFIGURATIONS}/${kind}webhookconfigurations/${configurationName}-hooks`;
  const webhooks: Rig['webhooks'] = async (kind) => {
    const configuration = await hands.call('GET', path(kind)).catch(() => ({}));
    return Object(configuration)['webhooks'] ?? [];
  };
  return {
    hands,
    operator,
    webhooks,
    [Symbol.asyncDispose]: async () => {
      await operator[Symbol.asyncDispose]();
      for (const kind of ['validating', 'mutating']) await hands.call('DELETE', path(kind)).catch(() => {});
    },
  };
}

const maps = (name: string, { namespace }: Hands, more: object = {}) => ({
  name,
  rules: [
    { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE', 'DELETE'] },
  ],
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  ...more,
});

/** Answers what the label `answer` of the object says. */
const BY_NAME = `
name=$(jq -r '.[0].review.request.name' "$BINDING_CONTEXT_PATH")
case "$name" in
  no*) echo '{"allowed":false,"message":"the name says no"}' ;;
  slow*) sleep 30 ;;
  broken*) echo 'oops' >&2; exit 3 ;;
  *) echo '{"allowed":true,"warnings":["seen by a hook"]}' ;;
esac > "$VALIDATING_RESPONSE_PATH"`;

async function refusal(done: Promise<unknown>): Promise<string> {
  try {
    await done;
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('an admission hook on a real API server', { timeout: LIMIT_MS }, () => {
  it('allows, denies, fails and is late, and the API server says which hook and what', async () => {
    await using it = await rig(BY_NAME, (hands) => ({
      kubernetesValidating: [maps('check.maps.example.com', hands, { timeoutSeconds: 2 })],
    }));
    const { hands, webhooks } = it;
    await until(async () => expect(await webhooks('validating')).toHaveLength(1));
    // The API server learns of it by a watch.
    await until(async () => expect(await refusal(hands.configMap(`no-${crypto.randomUUID()}`))).not.toBe(''));

    expect(await refusal(hands.configMap('no'))).toContain(
      'admission webhook "check.maps.example.com" denied the request: the name says no',
    );
    expect(await refusal(hands.configMap('broken'))).toContain(
      'denied the request: Hook failed: hook a.sh, kubernetesValidating check.maps.example.com: exit code 3',
    );
    expect(await refusal(hands.configMap('slow'))).toContain(
      'hook a.sh, kubernetesValidating check.maps.example.com: no answer within 1.5s',
    );
    expect(await refusal(hands.configMap('fine'))).toBe('');
    expect(await refusal(hands.call('DELETE', hands.maps('fine')))).toBe('');
  });

  it('changes an object with a JSON Patch, and with the whole object as it should be', async () => {
    const body = `
response=$ADMISSION_RESPONSE_PATH
if [ "$(jq -r '.[0].binding' "$BINDING_CONTEXT_PATH")" = a.maps.example.com ]; then
  patch=$(printf '[{"op":"add","path":"/metadata/labels","value":{"by":"patch"}}]' | base64 | tr -d '\\n')
  printf '{"allowed":true,"patch":"%s"}' "$patch" > "$response"
else
  jq '{allowed: true, object: (.[0].review.request.object | .data = {by: .metadata.labels.by})}' "$BINDING_CONTEXT_PATH" > "$response"
fi`;
    await using it = await rig(body, (hands) => ({
      kubernetesMutating: [maps('a.maps.example.com', hands), maps('b.maps.example.com', hands)].map((entry) => ({
        ...entry,
        rules: entry.rules.map((rule) => ({ ...rule, operations: ['CREATE'] })),
      })),
    }));
    const { hands, webhooks } = it;
    await until(async () => expect(await webhooks('mutating')).toHaveLength(2));
    await until(async () => {
      const made = await hands.configMap(`x-${crypto.randomUUID()}`);

      expect(made).toMatchObject({ metadata: { labels: { by: 'patch' } }, data: { by: 'patch' } });
    });
  });

  it('is registered beside others that the API server refuses, first and when its hook was changed', async () => {
    const bad = [{ name: 'no-cel', expression: 'object.metadata.name = 1' }];
    await using it = await rig(BY_NAME, (hands) => ({
      kubernetesValidating: [
        maps('a.maps.example.com', hands, { matchConditions: bad }),
        maps('b.maps.example.com', hands),
        maps('c.maps.example.com', hands, { matchConditions: bad }),
      ],
    }));
    const { hands, operator, webhooks } = it;
    const names = async () => (await webhooks('validating')).map(({ name }) => name);

    await until(async () => expect(await names()).toEqual(['b.maps.example.com']));
    await until(async () => expect(await refusal(hands.configMap(`no-${crypto.randomUUID()}`))).not.toBe(''));
    const errors = operator.lines.filter(({ level, fields }) => level === 'error' && 'webhook' in fields);
    expect(errors.map(({ fields }) => [fields['hook'], fields['webhook']])).toEqual([
      ['a.sh', 'a.maps.example.com'],
      ['a.sh', 'c.maps.example.com'],
    ]);

    const repaired = [maps('a.maps.example.com', hands), maps('b.maps.example.com', hands, { matchConditions: bad })];
    operator.change('a.sh', recordingHook({ configVersion: 'v1', kubernetesValidating: repaired }, BY_NAME));
    await until(async () => expect(await names()).toEqual(['a.maps.example.com', 'b.maps.example.com']));
    // The one that was registered before keeps its old form.
    expect((await webhooks('validating')).map(({ matchConditions }) => matchConditions)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('is registered again when its configuration is emptied or deleted, and matchConditions are kept', async () => {
    const matchConditions = [{ name: 'not-skipped', expression: '!object.metadata.name.startsWith("skip")' }];
    await using it = await rig(BY_NAME, (hands) => ({
      kubernetesValidating: [maps('check.maps.example.com', hands, { matchConditions })],
    }));
    const { hands, webhooks } = it;
    const path = `${CONFIGURATIONS}/validatingwebhookconfigurations/${hands.namespace}-hooks`;
    await until(async () => expect(await webhooks('validating')).toMatchObject([{ matchConditions }]));
    const version = async () => Object(await hands.call('GET', path))['metadata']['resourceVersion'];
    const before = await version();

    await hands.patch(path, { webhooks: [] });
    await until(async () => expect(await webhooks('validating')).toMatchObject([{ matchConditions }]));
    expect(await version()).not.toBe(before);
    await hands.call('DELETE', path);
    await until(async () => expect(await webhooks('validating')).toHaveLength(1));

    // Nobody writes any more.
    const rest = await version();
    it.operator.change('b.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }));
    await until(() => expect(it.operator.runs('b.sh')).toHaveLength(1));
    expect(await version()).toBe(rest);
  });
});
