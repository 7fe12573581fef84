import { describe, expect, it } from 'vitest';
import type { JsonObject, Sandbox } from '@hooklet/sandbox';
import { sandboxForTest, widgetDefinition } from '@hooklet/sandbox/testing';
import { asJsonObject, text } from '../../src/kube/object.ts';
import { metadataOf, objectsIn } from '../support/kept-rig.ts';
import { recordingHook, sandboxCluster, startOperator, until, type OperatorRig } from '../support/operator-rig.ts';

const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const EVENTS = '/api/v1/namespaces/default/events';
const CONDITIONS = {
  type: 'array',
  items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
};

/** Widgets whose status has conditions; a hook refuses those that are red. */
const DEFINITION = widgetDefinition(
  {},
  {
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          status: {
            type: 'object',
            properties: {
              conditions: { ...CONDITIONS, items: conditionSchema() },
              observedGeneration: { type: 'integer' },
            },
          },
        },
      },
    },
  },
);

function conditionSchema(): JsonObject {
  const texts = ['type', 'status', 'reason', 'message', 'lastTransitionTime'].map((name) => [name, { type: 'string' }]);
  const properties = { ...Object.fromEntries(texts), observedGeneration: { type: 'integer' } };
  return { type: 'object', required: ['type'], properties };
}

const RECONCILE = {
  configVersion: 'v1',
  reconcile: [
    {
      name: 'widgets',
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      labelSelector: { matchExpressions: [{ key: 'ignored', operator: 'DoesNotExist' }] },
    },
  ],
};
const KUBERNETES = {
  configVersion: 'v1',
  kubernetes: [{ name: 'widgets', apiVersion: 'example.com/v1', kind: 'Widget', executeHookOnSynchronization: false }],
};
/** Refuses what is red, in each of its contexts. */
const REFUSES = `
jq -c '{contexts: [to_entries[] | select(.value.object.spec.color == "red")
  | {index: .key, refused: {reason: "Red", message: "spec.color is red, expected blue"}}]}' \\
  "$BINDING_CONTEXT_PATH" > "$RESULT_PATH"
`;

function widget(name: string, color: string, labels: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'default', labels },
    spec: { color },
  };
}

async function readyOf(sandbox: Sandbox, name: string): Promise<JsonObject> {
  const { body } = await sandbox.call('GET', `${WIDGETS}/${name}`);
  const { conditions } = asJsonObject(asJsonObject(body)['status']);
  const [ready] = Array.isArray(conditions) ? conditions : [];
  return JSON.parse(JSON.stringify(asJsonObject(ready)));
}

async function toldOf(sandbox: Sandbox): Promise<readonly string[]> {
  const events = await objectsIn(sandbox, EVENTS);
  const told = events.filter(({ reason }) => reason === 'Red');
  return told
    .map((event) => `${text(event['type'])} ${text(asJsonObject(event['involvedObject'])['name'])}`)
    .toSorted();
}

async function gaugeOf(operator: OperatorRig): Promise<string> {
  const response = await fetch(new URL('/metrics', operator.url()));
  const lines = (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('shell_operator_objects_refused{'));
  return lines.join('\n');
}

function start(sandbox: Sandbox, config: object): OperatorRig {
  return startOperator({ hooks: { 'w.sh': recordingHook(config, REFUSES) }, connect: sandboxCluster(sandbox) });
}

/** Changes the object until the hook is at work and has refused it. */
async function refusedOne(sandbox: Sandbox, operator: OperatorRig): Promise<void> {
  let changes = 0;
  await until(async () => {
    await sandbox.apply(widget('a', 'red', { changes: String((changes += 1)) }));
    expect(await gaugeOf(operator)).toBe(series(1));
  });
}

const series = (count: number): string =>
  `shell_operator_objects_refused{hook="w.sh",binding="widgets",reason="Red"} ${count}`;

describe.each([
  ['reconcile', RECONCILE],
  ['kubernetes', KUBERNETES],
])('an object that a hook with a %s binding refuses', (_type, config) => {
  it('is not ready, has a Warning, and is counted until it is fine', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(DEFINITION);
    await using operator = start(sandbox, config);
    await refusedOne(sandbox, operator);
    await sandbox.apply(widget('b', 'blue'));

    await until(async () =>
      expect(await readyOf(sandbox, 'a')).toMatchObject({
        status: 'False',
        reason: 'Red',
        message: 'spec.color is red, expected blue',
      }),
    );
    await until(async () => expect(await gaugeOf(operator)).toBe(series(1)));
    expect(await toldOf(sandbox)).toEqual(['Warning a']);
    expect(await readyOf(sandbox, 'b')).toEqual({});

    await sandbox.apply(widget('a', 'blue'));
    await until(async () => expect(await gaugeOf(operator)).toBe(series(0)));
  });

  it('is not counted any more when it is deleted, nor when its hook is gone', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(DEFINITION);
    await using operator = start(sandbox, config);
    await refusedOne(sandbox, operator);
    await sandbox.apply(widget('b', 'red'));
    await until(async () => expect(await gaugeOf(operator)).toBe(series(2)));

    await sandbox.delete(widget('a', 'red'));
    await until(async () => expect(await gaugeOf(operator)).toBe(series(1)));
    operator.change('w.sh');
    await until(async () => expect(await gaugeOf(operator)).toBe(series(0)));
  });
});

describe('a refusal of a reconcile binding', () => {
  it('is told once for a generation, also by a restart and when the Events are gone, and again for the next one', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(DEFINITION);
    await sandbox.apply(widget('a', 'red'));
    const restart = async (runs = 1): Promise<void> => {
      await using operator = start(sandbox, RECONCILE);
      await until(() => expect(operator.runs('w.sh').length).toBeGreaterThanOrEqual(runs));
      await until(async () => expect(await gaugeOf(operator)).toBe(series(1)));
    };
    await restart();
    expect(await toldOf(sandbox)).toEqual(['Warning a']);
    for (const event of await objectsIn(sandbox, EVENTS)) {
      await sandbox.call('DELETE', `${EVENTS}/${text(metadataOf(event)['name'])}`);
    }
    await restart();
    expect(await toldOf(sandbox)).toEqual([]);

    await sandbox.apply({ ...widget('a', 'red'), spec: { color: 'red', size: 2 } });
    await restart();
    expect(await toldOf(sandbox)).toEqual(['Warning a']);
  });

  it('is taken back by the next success, and is not counted when its object is not selected any more', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(DEFINITION);
    for (const name of ['a', 'b']) await sandbox.apply(widget(name, 'red'));
    await using operator = start(sandbox, RECONCILE);
    await until(async () => expect(await gaugeOf(operator)).toBe(series(2)));

    await sandbox.apply(widget('a', 'blue'));
    await sandbox.apply(widget('b', 'red', { ignored: 'yes' }));

    await until(async () =>
      expect(await readyOf(sandbox, 'a')).toMatchObject({ status: 'True', reason: 'HookSucceeded' }),
    );
    await until(async () => expect(await gaugeOf(operator)).toBe(series(0)));
  });
});
