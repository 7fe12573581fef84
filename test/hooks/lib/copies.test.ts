import { describe, expect, it } from 'vitest';
import { type Copied, planCopies, type Step } from '../../../hooks/lib/copies.ts';

const object = (fields: Partial<Copied> = {}): Copied => ({
  kind: 'ConfigMap',
  namespace: 'default',
  name: 'registry',
  origin: null,
  type: null,
  data: { url: 'a' },
  binaryData: null,
  ...fields,
});
const copyIn = (namespace: string, fields: Partial<Copied> = {}): Copied =>
  object({ namespace, origin: 'default', ...fields });
const describeStep = (step: Step): string => {
  if (step.type === 'delete') return `delete ${step.copy.kind} ${step.copy.namespace}/${step.copy.name}`;
  const { kind, metadata } = step.object;
  return `${step.type} ${kind} ${metadata.namespace}/${metadata.name}`;
};

describe('planCopies', () => {
  it.each<{
    readonly law: string;
    readonly originals?: readonly Copied[];
    readonly copies?: readonly Copied[];
    readonly targets?: readonly string[];
    readonly steps: readonly string[];
  }>([
    {
      law: 'makes a copy in every target namespace',
      originals: [object()],
      targets: ['a', 'b'],
      steps: ['create ConfigMap a/registry', 'create ConfigMap b/registry'],
    },
    { law: 'does nothing when all is well', originals: [object()], copies: [copyIn('a')], targets: ['a'], steps: [] },
    {
      law: 'does not mind the order of keys, or empty data',
      originals: [object({ data: { x: '1', y: '2' } }), object({ name: 'empty', data: null })],
      copies: [copyIn('a', { data: { y: '2', x: '1' } }), copyIn('a', { name: 'empty', data: {} })],
      targets: ['a'],
      steps: [],
    },
    {
      law: 'updates a copy whose data differ',
      originals: [object({ data: { url: 'b' } })],
      copies: [copyIn('a')],
      targets: ['a'],
      steps: ['update ConfigMap a/registry'],
    },
    {
      law: 'updates a copy whose binary data differ',
      originals: [object({ binaryData: { icon: 'AA==' } })],
      copies: [copyIn('a')],
      targets: ['a'],
      steps: ['update ConfigMap a/registry'],
    },
    {
      law: 'updates a copy that comes from another namespace now',
      originals: [object({ namespace: 'other' })],
      copies: [copyIn('a')],
      targets: ['a'],
      steps: ['update ConfigMap a/registry'],
    },
    {
      law: 'deletes the copies of an original that is gone',
      copies: [copyIn('a')],
      targets: ['a'],
      steps: ['delete ConfigMap a/registry'],
    },
    {
      law: 'deletes the copies in a namespace that is no target any more',
      originals: [object()],
      copies: [copyIn('a')],
      steps: ['delete ConfigMap a/registry'],
    },
    { law: 'makes no copy beside the original', originals: [object()], targets: ['default'], steps: [] },
    {
      law: 'makes a copy of another type anew',
      originals: [object({ kind: 'Secret', type: 'kubernetes.io/basic-auth' })],
      copies: [copyIn('a', { kind: 'Secret', type: 'Opaque' })],
      targets: ['a'],
      steps: ['delete Secret a/registry', 'create Secret a/registry'],
    },
    {
      law: 'keeps ConfigMaps and Secrets of one name apart',
      originals: [object(), object({ kind: 'Secret', type: 'Opaque' })],
      copies: [copyIn('a')],
      targets: ['a'],
      steps: ['create Secret a/registry'],
    },
    {
      law: 'makes no copies of a copy that somebody labelled as an original',
      originals: [copyIn('a')],
      copies: [copyIn('a')],
      targets: ['b'],
      steps: ['delete ConfigMap a/registry'],
    },
  ])('$law', ({ originals = [], copies = [], targets = [], steps }) => {
    expect(planCopies(originals, copies, targets).steps.map(describeStep)).toEqual(steps);
  });

  it('gives the place to the first of two originals with one name, and names the other', () => {
    const second = object({ namespace: 'other', data: { url: 'b' } });

    const { steps, shadowed, wanted } = planCopies([object(), second], [], ['a', 'other']);

    expect(shadowed).toEqual([second]);
    expect(wanted).toBe(2);
    expect(steps.map(describeStep)).toEqual(['create ConfigMap a/registry', 'create ConfigMap other/registry']);
  });

  it('writes what a copy holds, and where it comes from', () => {
    const [step] = planCopies([object({ kind: 'Secret', type: 'Opaque', binaryData: null })], [], ['a']).steps;

    expect(step).toEqual({
      type: 'create',
      object: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'registry', namespace: 'a', labels: { 'hooklet.dev/copied-from': 'default' } },
        type: 'Opaque',
        data: { url: 'a' },
      },
    });
  });

  it('deletes nothing where an original or a namespace is not known', () => {
    const { steps } = planCopies([], [copyIn('a'), copyIn('b', { type: 'Opaque' })], ['a'], false);

    expect(steps).toEqual([]);
  });
});
