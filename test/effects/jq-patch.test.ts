import { describe, expect, it } from 'vitest';
import type { CompileJq } from '../../src/effects/patch-session.ts';
import { openFilters } from '../../src/filter/filters.ts';
import { parseExactJson } from '../../src/lib/exact-json.ts';
import { converse, type Script } from '../support/patch-rig.ts';
import { refusal, type Exchange } from '../support/kube-conversation.ts';

const path = '/api/v1/namespaces/default/pods/web';
const live = { kind: 'Pod', metadata: { name: 'web', resourceVersion: '4' }, data: 'old' };
const changed = { ...live, data: 'new' };
const stored = { ...changed, metadata: { ...live.metadata, resourceVersion: '5' } };
const missing = refusal(404, 'NotFound', 'pods "web" not found');

describe('JQPatch', () => {
  it('reads, changes and writes the object', async () => {
    const { applied, bodies } = await jq(
      () => [changed],
      [
        [`GET ${path}`, live],
        [`PUT ${path}`, stored],
      ],
    );

    expect(bodies[1]).toEqual(changed);
    expect(applied).toMatchObject([{ change: 'patched', resourceVersion: '5' }]);
  });

  it('writes numbers that it does not touch with all their digits, and nothing when only they are there', async () => {
    const large = '{"kind":"Pod","metadata":{"name":"web","resourceVersion":"4"},"n":9223372036854775807,"data":"old"}';
    const read: Exchange = [`GET ${path}`, parseExactJson(large)];
    const patched = await jq(openFilters().compilePatch('.data = "new"'), [read, [`PUT ${path}`, stored]]);
    const same = await jq(openFilters().compilePatch('.'), [read]);

    expect(patched.requests.map(({ isExact }) => isExact)).toEqual([true, undefined]);
    expect(String(patched.requests[1]?.body)).toContain('"n":9223372036854775807');
    expect(same.applied).toMatchObject([{ change: 'unchanged' }]);
  });

  it('writes nothing when nothing changed', async () => {
    const { applied } = await jq((input) => [structuredClone(input)], [[`GET ${path}`, live]]);

    expect(applied).toMatchObject([{ change: 'unchanged', resourceVersion: '4' }]);
  });

  it('writes against the version it read, also when the expression dropped it', async () => {
    const { bodies } = await jq(
      () => [{ kind: 'Pod', data: 'new' }],
      [
        [`GET ${path}`, live],
        [`PUT ${path}`, stored],
      ],
    );

    expect(bodies[1]).toEqual({ kind: 'Pod', data: 'new', metadata: { resourceVersion: '4' } });
  });

  it('runs again on what somebody else wrote meanwhile', async () => {
    const seen: unknown[] = [];
    const { applied } = await jq(
      (input) => {
        seen.push(input);
        return [changed];
      },
      [
        [`GET ${path}`, live],
        [`PUT ${path}`, refusal(409, 'Conflict', 'the object has been modified')],
        [`GET ${path}`, { ...live, data: 'other' }],
        [`PUT ${path}`, stored],
      ],
    );

    expect(seen).toMatchObject([{ data: 'old' }, { data: 'other' }]);
    expect(applied).toMatchObject([{ change: 'patched' }]);
  });

  it('reads the main object for its status', async () => {
    const { error } = await jq(
      () => [changed],
      [
        [`GET ${path}`, live],
        [`PUT ${path}/status`, stored],
      ],
      { subresource: 'status' },
    );

    expect(error).toBeUndefined();
  });

  it('reads any other subresource, which is an object of its own', async () => {
    const { error } = await jq(
      () => [changed],
      [
        [`GET ${path}/scale`, live],
        [`PUT ${path}/scale`, stored],
      ],
      { subresource: 'scale' },
    );

    expect(error).toBeUndefined();
  });

  it('may meet no object where the hook says so', async () => {
    const { applied } = await jq(() => [changed], [[`GET ${path}`, missing]], { ignoreMissingObject: true });

    expect(applied).toMatchObject([{ change: 'absent' }]);
  });

  it('fails when there is no object', async () => {
    const { message } = await jq(() => [changed], [[`GET ${path}`, missing]]);

    expect(message).toContain('pods "web" not found');
  });

  it.each([
    { title: 'nothing', outputs: [], problem: 'jqFilter returned 0 outputs, expected the whole changed object' },
    { title: 'two objects', outputs: [live, live], problem: 'jqFilter returned 2 outputs' },
    { title: 'a number', outputs: [1], problem: 'jqFilter returned 1, expected the whole changed object' },
  ])('fails when the expression gives $title', async ({ outputs, problem }) => {
    const { message } = await jq(() => outputs, [[`GET ${path}`, live]]);

    expect(message).toContain(problem);
  });

  it('fails with the words of jq', async () => {
    const { message } = await jq(() => {
      throw new Error('null and object cannot be added');
    }, [[`GET ${path}`, live]]);

    expect(message).toContain('jqFilter failed on the object: null and object cannot be added');
  });
});

async function jq(run: ReturnType<CompileJq>, script: readonly Exchange[], fields: object = {}) {
  const operation = { operation: 'JQPatch', kind: 'Pod', namespace: 'default', name: 'web', jqFilter: '.x', ...fields };
  const conversation: Script = { operations: [operation], script, compileJq: () => run };
  return converse(conversation);
}
