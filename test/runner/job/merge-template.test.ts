import { expect, it } from 'vitest';
import { mergeTemplate } from '../../../src/runner/job/merge-template.ts';

it.each([
  ['maps are merged', { a: { b: 1 } }, { a: { c: 2 } }, { a: { b: 1, c: 2 } }],
  ['a single value is theirs', { a: 1 }, { a: 2 }, { a: 2 }],
  ['null says nothing', { a: 1 }, { a: null }, { a: 1 }],
  ['lists are put behind ours', { l: [1] }, { l: [2, 1] }, { l: [1, 2] }],
  ['a list that we do not have is theirs', {}, { l: [1] }, { l: [1] }],
  [
    'a variable of ours stays',
    { env: [{ name: 'A', value: 1 }] },
    { env: [{ name: 'A', value: 2 }] },
    { env: [{ name: 'A', value: 1 }] },
  ],
  [
    'a mount of ours stays, and the volume may be mounted elsewhere',
    { volumeMounts: [{ name: 'v', mountPath: '/a' }] },
    {
      volumeMounts: [
        { name: 'w', mountPath: '/a' },
        { name: 'v', mountPath: '/b' },
      ],
    },
    {
      volumeMounts: [
        { name: 'v', mountPath: '/a' },
        { name: 'v', mountPath: '/b' },
      ],
    },
  ],
  [
    'a container of the same name is merged, and keeps its command',
    { containers: [{ name: 'hook', command: ['a'] }] },
    { containers: [{ name: 'hook', command: ['b'], tty: true }, { name: 'x' }] },
    { containers: [{ name: 'hook', command: ['a'], tty: true }, { name: 'x' }] },
  ],
  [
    'the sidecar may get resources',
    { initContainers: [{ name: 'hooklet' }] },
    { initContainers: [{ name: 'first' }, { name: 'hooklet', resources: { limits: {} } }] },
    { initContainers: [{ name: 'hooklet', resources: { limits: {} } }, { name: 'first' }] },
  ],
  ['a map in place of a list is theirs', { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
])('%s', (_what, ours, theirs, merged) => {
  expect(mergeTemplate(ours, theirs)).toEqual(merged);
});

it('a rule without a template changes nothing', () => {
  expect(mergeTemplate({ a: [1] }, undefined)).toEqual({ a: [1] });
});
