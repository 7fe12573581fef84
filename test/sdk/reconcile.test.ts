import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/hook/config.ts';
import { isHookDefinition, Later, Permanent, reconcile } from '../../src/sdk/index.ts';
import { checkFilter } from '../../src/units/filter-check.ts';

interface WebSite {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly text: string };
}

const OPTIONS = {
  name: 'websites',
  apiVersion: 'example.com/v1',
  kind: 'WebSite',
  owns: [
    { apiVersion: 'apps/v1', kind: 'Deployment' },
    { apiVersion: 'v1', kind: 'ConfigMap', jqFilter: '.data' },
  ],
  finalize: true,
} as const;

const host = {
  log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  signal: new AbortController().signal,
};

function contextOf(name: string, fields: object = {}) {
  return {
    type: 'Reconcile',
    binding: 'websites',
    object: { metadata: { name }, spec: { text: 'hello' } },
    owned: { 'Deployment.apps': [{ object: { kind: 'Deployment' } }], ConfigMap: [{ filterResult: { a: 'b' } }] },
    watched: {},
    finalizing: false,
    reason: 'start',
    attempt: 1,
    ...fields,
  };
}

describe('reconcile', () => {
  it('is a hook whose config is one reconcile binding', () => {
    const hook = reconcile(OPTIONS, () => ({}));

    expect(isHookDefinition(hook)).toBe(true);
    expect(parseConfig(JSON.stringify(hook.config), checkFilter)).toMatchObject({
      type: 'valid',
      bindings: [
        {
          type: 'reconcile',
          name: 'websites',
          finalize: true,
          owns: [{ keepFullObjectsInMemory: true }, { keepFullObjectsInMemory: false }],
        },
      ],
    });
  });

  it('gives the function an object with its children, and writes what it returns', async () => {
    const hook = reconcile<WebSite>(OPTIONS, ({ object, owned, finalizing, attempt }) => ({
      children: [
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: object.metadata.name },
          data: { text: object.spec.text },
        },
      ],
      status: { owned, finalizing, attempt },
      conditions: [{ type: 'Built', status: 'True', reason: 'Done' }],
      retryAfter: '1m',
      finalized: true,
    }));

    const { result, error } = await hook.execute([contextOf('a')], host);

    expect(error).toBeUndefined();
    expect(JSON.parse(result)).toEqual({
      children: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { text: 'hello' } }],
      status: {
        owned: { 'Deployment.apps': [{ kind: 'Deployment' }], ConfigMap: [{ a: 'b' }] },
        finalizing: false,
        attempt: 1,
      },
      conditions: [{ type: 'Built', status: 'True', reason: 'Done', message: '' }],
      retryAfter: '1m',
      finalized: true,
    });
  });

  it('gives the output of an attempt to the next one', async () => {
    const hook = reconcile(OPTIONS, ({ previous }) => ({ output: { before: previous ?? null } }));

    const { result } = await hook.execute([contextOf('a', { previous: { step: 1 } })], host);

    expect(JSON.parse(result)).toEqual({ output: { before: { step: 1 } } });
  });

  it('gives the state of an object, or null, and keeps the one of the answer', async () => {
    const hook = reconcile(OPTIONS, ({ state }) => ({ state: { before: state } }));

    const [first, second] = await Promise.all([
      hook.execute([contextOf('a')], host),
      hook.execute([contextOf('a', { state: { step: 1 } })], host),
    ]);

    expect(JSON.parse(first.result)).toEqual({ state: { before: null } });
    expect(JSON.parse(second.result)).toEqual({ state: { before: { step: 1 } } });
  });

  it('says why it refuses the object, and what is to be told once', async () => {
    const once = { type: 'Normal', reason: 'Repaired', message: 'text', once: 'repair 1' } as const;
    const refused = { reason: 'TooSmall', message: 'spec.size is 1' };
    const hook = reconcile(OPTIONS, () => ({ refused, events: [once] }));

    const { result } = await hook.execute([contextOf('a')], host);

    expect(JSON.parse(result)).toEqual({ refused, events: [once] });
  });

  it('fails the run for an answer with a field that it does not know', async () => {
    const answer = { status: {}, childs: [], finalised: true };
    const hook = reconcile<WebSite>(OPTIONS, () => answer);

    const { error, result } = await hook.execute([contextOf('web')], host);

    expect(String(error)).toContain('the answer has unknown fields: childs, finalised; expected children, status');
    expect(result).toBe('');
  });

  it('refuses to run for several objects at once', async () => {
    const hook = reconcile(OPTIONS, () => ({ children: [] }));

    expect(await hook.execute([contextOf('a'), contextOf('b')], host)).toMatchObject({
      result: '',
      error: { message: 'a reconcile hook is run for one binding context, and got 2' },
    });
  });

  it('fails the run with what was thrown', async () => {
    const problem = new Error('no');
    const hook = reconcile(OPTIONS, () => {
      throw problem;
    });

    expect((await hook.execute([contextOf('a')], host)).error).toBe(problem);
    const later = reconcile(OPTIONS, () => Promise.reject(new Later('30s')));
    expect(await later.execute([contextOf('a')], host)).toMatchObject({ outcome: 'later' });
    const permanent = reconcile(OPTIONS, () => Promise.reject(new Permanent('Wrong')));
    expect(await permanent.execute([contextOf('a')], host)).toMatchObject({ outcome: 'permanent' });
  });
});
