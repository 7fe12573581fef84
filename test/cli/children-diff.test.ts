import { describe, expect, it } from 'vitest';
import { answersOf, unmarked } from '../../src/cli/run/answered.ts';
import { childrenDiff } from '../../src/cli/run/children-diff.ts';
import { givenObjects } from '../../src/cli/run/object.ts';
import { reconcileMark } from '../../src/hook/reconcile-mark.ts';
import type { OnChange } from '../../src/hook/result.ts';
import { hookWith, reconcileBinding } from '../support/bindings.ts';

type Json = Readonly<Record<string, unknown>>;

const UID = '5d5e6ef5-61a5-4d04-9e84-7d2c0a9a8d3e';
const PARENT = { apiVersion: 'example.com/v1', kind: 'WebSite', metadata: { name: 'a', namespace: 'shop', uid: UID } };
const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { replicas: 2, template: { spec: { containers: [{ name: 'web', image: 'web:1' }] } } },
};

interface Options {
  readonly onChange?: OnChange;
  readonly outcome?: 'done' | 'later';
}

async function answer(children: readonly Json[], { onChange = 'Apply', outcome = 'done' }: Options = {}) {
  const owned = { apiVersion: 'apps/v1', kind: 'Deployment', onChange, otherNamespaces: false };
  const binding = reconcileBinding('sites', { owns: [{ ...owned, keepFullObjectsInMemory: true }] });
  const empty = { conditions: [], events: [] };
  const desired = children.map((object) => ({ object, after: [] }));
  const result = { ...empty, contexts: new Map(), children: desired };
  const contexts = [{ binding: 'sites', type: 'Reconcile', object: PARENT }];
  const [first] = await answersOf({ hook: hookWith('site', [binding]), contexts, result, outcome });
  if (first === undefined) throw new Error('no answer');
  return first;
}

async function diff(owned: readonly Json[], children: readonly Json[], options?: Options): Promise<string> {
  return childrenDiff(await answer(children, options), givenObjects(owned));
}

/** The child as a cluster has it after it was applied: with marks, defaults, a status and the fields of others. */
async function live(managed: object = {}): Promise<Json> {
  const [child] = (await answer([WEB])).wanted;
  const metadata = child?.object['metadata'] as Json;
  return {
    ...WEB,
    metadata: { ...metadata, uid: 'u', resourceVersion: '7', generation: 3, creationTimestamp: 'x', ...managed },
    spec: {
      replicas: 2,
      progressDeadlineSeconds: 600,
      template: {
        spec: {
          containers: [
            { name: 'side', image: 's' },
            { name: 'web', image: 'web:1', tty: false },
          ],
        },
      },
    },
    status: { replicas: 2 },
  };
}

const changed = (image: string): Json => ({
  ...WEB,
  spec: { ...WEB.spec, template: { spec: { containers: [{ name: 'web', image }] } } },
});

describe('childrenDiff', () => {
  it('leaves out marks, defaults, the status and what others added to an object of a cluster', async () => {
    expect(await diff([await live()], [WEB])).toBe('# 0 created, 0 changed, 0 deleted, 1 unchanged\n');
    expect(await diff([await live()], [changed('web:2')])).toBe(
      [
        '--- apps/v1/Deployment/shop/web',
        '+++ apps/v1/Deployment/shop/web',
        '@@ -8,5 +8,5 @@',
        '   template:',
        '     spec:',
        '       containers:',
        '-        - image: web:1',
        '+        - image: web:2',
        '           name: web',
        '# 0 created, 1 changed, 0 deleted, 0 unchanged',
        '',
      ].join('\n'),
    );
  });

  it('shows the removal of a field that our field manager has', async () => {
    const manager = { operation: 'Apply', fieldsV1: { 'f:spec': { 'f:replicas': {} } } };
    const name = `hooklet-${reconcileMark(reconcileBinding('sites'))}`;
    const owned = await live({ managedFields: [{ ...manager, manager: name }] });
    const { replicas: _replicas, ...spec } = WEB.spec;

    expect(await diff([owned], [{ ...WEB, spec }])).toContain('-  replicas: 2\n');
    expect(await diff([await live()], [{ ...WEB, spec }])).not.toContain('replicas');
  });

  it('finds no difference to what is printed', async () => {
    const [child] = (await answer([WEB])).wanted;

    expect(await diff([unmarked(child?.object ?? {})], [WEB])).toBe('# 0 created, 0 changed, 0 deleted, 1 unchanged\n');
  });

  it.each([
    ['Recreate', 'is deleted, and made anew'],
    ['OnDelete', 'stays as it is until it is deleted'],
  ] as const)('says what %s does', async (onChange, note) => {
    const text = await diff([WEB], [changed('web:2')], { onChange });

    expect(text.split('\n')[0]).toBe(`# apps/v1/Deployment/shop/web: ${note}`);
  });

  it('deletes nothing while the hook says later', async () => {
    expect(await diff([WEB], [], { outcome: 'later' })).toBe(
      '# apps/v1/Deployment/shop/web: stays until the work of the hook is done\n' +
        '# 0 created, 0 changed, 0 deleted, 1 unchanged\n',
    );
    expect(await diff([WEB], [])).toContain('+++ /dev/null\n');
  });
});
