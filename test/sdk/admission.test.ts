import { describe, expect, it } from 'vitest';
import { defineHook, type HookRun, kubernetes, mutating, onStartup, validating } from '../../src/sdk/index.ts';

interface Pod {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}

const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }] as const;
const bindings = {
  start: onStartup(1),
  names: kubernetes<string>({ kind: 'Pod', jqFilter: '.metadata.name' }),
  'check.example.com': validating<Pod>({ rules, failurePolicy: 'Ignore' }),
  'label.example.com': mutating<Pod>({ rules, reinvocationPolicy: 'IfNeeded' }),
};

const log = { debug() {}, info() {}, warn() {}, error() {} };
const host = { log, signal: new AbortController().signal };
const pod: Pod = { kind: 'Pod', metadata: { name: 'a' } };
/** What JSON cannot represent. */
const odd = { ...pod, spec: { size: Number.NaN } };
const context = (type: 'Validating' | 'Mutating', binding: string) => ({
  type,
  binding,
  review: { request: { uid: '1', operation: 'CREATE', object: pod, oldObject: null } },
  snapshots: { names: [{ filterResult: 'b' }] },
});

const execute = async (run: (run: HookRun<typeof bindings>) => void, wire: unknown) =>
  defineHook({ bindings, run }).execute([wire], host);

describe('a webhook of a TypeScript hook', () => {
  it('is in the config under the name of its binding, with the snapshots', () => {
    expect(defineHook({ bindings, run() {} }).config).toMatchObject({
      kubernetesValidating: [
        { name: 'check.example.com', rules, failurePolicy: 'Ignore', includeSnapshotsFrom: ['names'] },
      ],
      kubernetesMutating: [
        { name: 'label.example.com', rules, reinvocationPolicy: 'IfNeeded', includeSnapshotsFrom: ['names'] },
      ],
    });
  });

  it('gets the request and the snapshots', async () => {
    const seen: unknown[] = [];
    await execute(
      ({ contexts, snapshots }) => {
        for (const one of contexts) {
          if (one.type === 'Validating') seen.push(one.binding, one.request.object?.metadata.name, snapshots.names);
        }
      },
      context('Validating', 'check.example.com'),
    );

    expect(seen).toEqual(['check.example.com', 'a', ['b']]);
  });

  it.each<[string, (run: HookRun<typeof bindings>) => void, object]>([
    ['allow', ({ answer }) => answer.allow(), { allowed: true }],
    ['deny', ({ answer }) => answer.deny('no'), { allowed: false, message: 'no' }],
    [
      'warn and allow',
      ({ answer }) => {
        answer.warn('careful');
        answer.allow();
      },
      { allowed: true, warnings: ['careful'] },
    ],
    [
      'say the last of several answers',
      ({ answer }) => {
        answer.allowAs(pod);
        answer.deny('no');
      },
      { allowed: false, message: 'no' },
    ],
    [
      'give the object as it should be',
      ({ answer }) => answer.allowAs({ ...pod, apiVersion: 'v1' }),
      { allowed: true, object: { ...pod, apiVersion: 'v1' } },
    ],
    [
      'give a JSON Patch',
      ({ answer }) => answer.allowWithPatch([{ op: 'remove', path: '/spec' }]),
      { allowed: true, patch: [{ op: 'remove', path: '/spec' }] },
    ],
  ])('can %s', async (_, run, response) => {
    const { admission = '' } = await execute(run, context('Mutating', 'label.example.com'));

    expect(JSON.parse(admission)).toEqual(response);
  });

  it('that decides nothing has no response', async () => {
    const ended = await execute(({ answer }) => answer.warn('x'), context('Validating', 'check.example.com'));

    expect(ended).not.toHaveProperty('admission');
  });

  it('cannot answer where no request waits', async () => {
    const { error } = await execute(({ answer }) => answer.allow(), { binding: 'onStartup' });

    expect(error).toMatchObject({ message: 'answer.allow: no request waits for an answer in this run' });
  });

  it('cannot answer with what JSON cannot represent', async () => {
    const { error } = await execute(({ answer }) => answer.allowAs(odd), context('Mutating', 'label.example.com'));

    expect(String(error)).toContain('answer.allowAs: spec.size');
  });

  it.each<[string, (run: HookRun<typeof bindings>) => void, string]>([
    ['a change that JSON cannot represent', ({ answer }) => answer.allowAs(odd), 'allowAs: spec.size'],
    ['no object', ({ answer }) => answer.allowAs(JSON.parse('null')), 'allowAs: expected the whole object'],
    ['no steps', ({ answer }) => answer.allowWithPatch(JSON.parse('null')), 'allowWithPatch: expected a list of steps'],
  ])('allows nothing with %s, also where it goes on after the error', async (_, run, message) => {
    const { admission } = await execute(
      (given) => {
        given.answer.deny('no');
        expect(() => run(given)).toThrow(`answer.${message}`);
      },
      context('Mutating', 'label.example.com'),
    );

    expect(JSON.parse(admission ?? '')).toEqual({ allowed: false, message: 'no' });
  });
});
