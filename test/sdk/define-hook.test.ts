import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  defineHook,
  type HookRun,
  isHookDefinition,
  kubernetes,
  type KubernetesObject,
  onStartup,
  schedule,
} from '../../src/sdk/index.ts';

interface Secret {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly data: Readonly<Record<string, string>>;
}

const bindings = {
  start: onStartup(1),
  nightly: schedule('0 3 * * *'),
  secrets: kubernetes<Secret>({ apiVersion: 'v1', kind: 'Secret' }),
  namespaces: kubernetes({ kind: 'Namespace' }),
  images: kubernetes<string[]>({ kind: 'Pod', jqFilter: '[.spec.containers[].image]' }),
  watched: kubernetes<Secret, number>({ kind: 'Secret', jqFilter: '.data | length', keepFullObjectsInMemory: true }),
};
type Run = HookRun<typeof bindings>;
type Of<Type extends string, Binding extends string> = Extract<
  Run['contexts'][number],
  { readonly type: Type; readonly binding: Binding }
>;

const log = { debug() {}, info() {}, warn() {}, error() {} };
const host = { log, signal: new AbortController().signal };

describe('defineHook', () => {
  it('runs the function on the contexts and gives back what it asked for', async () => {
    const hook = defineHook({
      bindings: { secrets: kubernetes<Secret>({ kind: 'Secret' }) },
      async run({ contexts, snapshots, patch, metric }) {
        for (const context of contexts) if (context.type === 'Event') patch.delete(context.object);
        metric.set('secrets', snapshots.secrets.length);
      },
    });
    const object = { kind: 'Secret', metadata: { name: 'a', namespace: 'b' } };
    const event = { binding: 'secrets', type: 'Event', watchEvent: 'Added', object };

    const result = await hook.execute([event, { ...event, snapshots: { secrets: [{ object }] } }], host);

    const deletion = '{"operation":"Delete","kind":"Secret","namespace":"b","name":"a"}\n';
    expect(result).toEqual({
      patch: deletion + deletion,
      metrics: '{"name":"secrets","action":"set","value":1}\n',
      result: '',
    });
  });

  it('gives back what the function throws, with what it had asked for until then', async () => {
    const error = new Error('no luck');
    const hook = defineHook({
      bindings: { start: onStartup(1) },
      run({ patch }) {
        patch.delete({ kind: 'Pod', name: 'x' });
        throw error;
      },
    });

    expect(await hook.execute([{ binding: 'onStartup' }], host)).toEqual({
      patch: '{"operation":"Delete","kind":"Pod","name":"x"}\n',
      metrics: '',
      result: '',
      error,
    });
  });

  it('is told from other exports', () => {
    expect(isHookDefinition(defineHook({ bindings: {}, run() {} }))).toBe(true);
    for (const other of [undefined, null, {}, () => {}, 'hook']) expect(isHookDefinition(other)).toBe(false);
  });

  it('types snapshots as exactly the kubernetes bindings', () => {
    expectTypeOf<keyof Run['snapshots']>().toEqualTypeOf<'secrets' | 'namespaces' | 'images' | 'watched'>();
    expectTypeOf<Run['snapshots']['secrets']>().toEqualTypeOf<readonly Secret[]>();
    expectTypeOf<Run['snapshots']['namespaces']>().toEqualTypeOf<readonly KubernetesObject[]>();
    expectTypeOf<Run['snapshots']['images']>().toEqualTypeOf<readonly (string[] | null)[]>();
    expectTypeOf<Run['snapshots']['watched'][number]['object']>().toEqualTypeOf<Secret>();
    expectTypeOf<Run['snapshots']['watched'][number]['filterResult']>().toEqualTypeOf<number | null>();
  });

  it('types contexts by what happened to which binding', () => {
    expectTypeOf<Run['contexts'][number]['type']>().toEqualTypeOf<
      'OnStartup' | 'Schedule' | 'Synchronization' | 'Event' | 'Group'
    >();
    expectTypeOf<Of<'Event', 'secrets'>['object']>().toEqualTypeOf<Secret>();
    expectTypeOf<Of<'Event', 'images'>['filterResult']>().toEqualTypeOf<string[] | null>();
    expectTypeOf<Of<'Synchronization', 'secrets'>['objects']>().toEqualTypeOf<readonly Secret[]>();
    expectTypeOf<
      Extract<Run['contexts'][number], { readonly type: 'OnStartup' }>['binding']
    >().toEqualTypeOf<'start'>();
    expectTypeOf<Of<'Event', 'nightly'>>().toBeNever();
  });
});
