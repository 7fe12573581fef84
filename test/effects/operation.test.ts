import { describe, expect, it } from 'vitest';
import { describeTarget, operationsDespiteFailure, type PatchOperation } from '../../src/effects/operation.ts';

const remove: PatchOperation = {
  operation: 'Delete',
  target: { kind: 'pod' },
  namespace: 'ns',
  name: 'web',
  ignoreHookError: false,
};
const create: PatchOperation = {
  operation: 'Create',
  target: { apiVersion: 'v1', kind: 'Namespace' },
  object: { metadata: { generateName: 'n-' } },
  ignoreHookError: false,
};

describe('a target', () => {
  it.each([
    { title: 'as the hook named it', operation: remove, known: undefined, text: 'pod/ns/web' },
    {
      title: 'as discovery names it',
      operation: remove,
      known: { apiVersion: 'v1', kind: 'Pod' },
      text: 'v1/Pod/ns/web',
    },
    {
      title: 'with its subresource',
      operation: { ...remove, subresource: 'status' },
      known: undefined,
      text: 'pod/ns/web/status',
    },
    { title: 'whose name is still to be made', operation: create, known: undefined, text: 'v1/Namespace/n-*' },
  ])('is described $title', ({ operation, known, text }) => {
    expect(describeTarget(operation, known)).toBe(text);
  });
});

it('only what says so is applied after a failure', () => {
  const status = { ...remove, ignoreHookError: true };

  expect(operationsDespiteFailure([remove, status, create])).toEqual([status]);
});
