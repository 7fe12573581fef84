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

  it('fails only the object whose function threw', async () => {
    const hook = reconcile<WebSite>(OPTIONS, ({ object }) => {
      if (object.metadata.name === 'bad') throw new Error('no');
      if (object.metadata.name === 'early') throw new Later('30s', 'not yet');
      if (object.metadata.name === 'wrong') throw new Permanent('Wrong', 'never');
      return { children: [] };
    });

    const { result, error } = await hook.execute(
      ['good', 'bad', 'early', 'wrong'].map((name) => contextOf(name)),
      host,
    );

    expect(error).toBeUndefined();
    expect(JSON.parse(result)).toEqual({
      contexts: [
        { index: 0, children: [] },
        { index: 1, outcome: 'failed', reason: 'FunctionThrew', message: 'no' },
        { index: 2, outcome: 'later', retryAfter: '30s', message: 'not yet' },
        { index: 3, outcome: 'permanent', reason: 'Wrong', message: 'never' },
      ],
    });
  });

  it('fails the run of a single object with what was thrown', async () => {
    const problem = new Error('no');
    const hook = reconcile(OPTIONS, () => {
      throw problem;
    });

    expect((await hook.execute([contextOf('a')], host)).error).toBe(problem);
    const later = reconcile(OPTIONS, () => Promise.reject(new Later('30s')));
    expect(await later.execute([contextOf('a')], host)).toMatchObject({ outcome: 'later' });
  });
});
