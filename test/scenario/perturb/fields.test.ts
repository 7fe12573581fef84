import { describe, expect, test } from 'vitest';
import { fieldsOf, mutationsOf } from '../../../src/scenario/perturb/fields.ts';
import { mergePatch, replaced } from '../../../src/scenario/perturb/json-edit.ts';

const crd = {
  kind: 'CustomResourceDefinition',
  spec: {
    group: 'example.dev',
    names: { kind: 'Cluster' },
    versions: [
      {
        name: 'v1',
        schema: {
          openAPIV3Schema: {
            properties: {
              spec: {
                properties: { size: { type: 'integer' }, storage: { properties: { class: { type: 'string' } } } },
              },
            },
          },
        },
      },
    ],
  },
};

describe('the fields that users get wrong', () => {
  test('of a custom resource: those of its schema and those that are set; of others: those of spec and data', () => {
    const cluster = {
      apiVersion: 'example.dev/v1',
      kind: 'Cluster',
      spec: { size: 3, labels: { 'a/b': 'c' }, list: [{ x: 1 }] },
    };
    expect(fieldsOf(cluster, [crd]).map(({ path }) => path)).toEqual([
      '/spec/size',
      '/spec/storage/class',
      '/spec/labels/a~1b',
      '/spec/list/0/x',
    ]);
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { key: 'value' } };
    expect(fieldsOf(map, [crd])).toEqual([{ path: '/data/key', schema: {} }]);
  });

  test('a number is one more, 0, negative, a text and missing; a text is another, empty, garbage, a list and missing', () => {
    const values = (value: number | string | boolean) =>
      mutationsOf(value, { path: '/spec/x', schema: {} }).map((one) => [one.how, one.value, one.isWrong]);
    expect(values(3)).toEqual([
      ['changed', 4, false],
      ['empty', 0, false],
      ['negative', -1, true],
      ['wrong-type', 'wrong', true],
      ['removed', undefined, true],
    ]);
    expect(values('a')).toEqual([
      ['changed', 'a-2', false],
      ['empty', '', false],
      ['garbage', '~not/ valid~', true],
      ['wrong-type', ['wrong'], true],
      ['removed', undefined, false],
    ]);
    expect(values(true).map(([how]) => how)).toEqual(['changed', 'wrong-type', 'removed']);
  });

  test('what is not set is set by its schema, and not removed', () => {
    const values = mutationsOf(undefined, { path: '/spec/size', schema: { type: 'integer' } });
    expect(values.map(({ how, value }) => [how, value])).toEqual([
      ['changed', 1],
      ['empty', 0],
      ['negative', -1],
      ['wrong-type', 'wrong'],
    ]);
  });

  test('the merge patch of a mistake sets, removes, and sets back', () => {
    const good = { kind: 'Cluster', spec: { size: 3, list: [{ x: 1, y: 2 }] } };
    const bad = replaced(good, '/spec/list/0/x', undefined);
    expect(mergePatch(good, bad)).toEqual({ spec: { list: [{ y: 2 }] } });
    expect(mergePatch(bad, good)).toEqual({ spec: { list: [{ x: 1, y: 2 }] } });
    expect(mergePatch(good, replaced(good, '/spec/size', undefined))).toEqual({ spec: { size: null } });
    expect(mergePatch(good, replaced(good, '/spec/a/b', 1))).toEqual({ spec: { a: { b: 1 } } });
  });
});
