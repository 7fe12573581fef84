import { describe, expect, it } from 'vitest';
import { readRegistered, withBundle, writtenBy } from '../../../src/sources/admission/registered.ts';
import { registrationStep, type RegistrationSituation } from '../../../src/sources/admission/registration-step.ts';

const webhook = (name: string, more: object = {}) => ({
  name,
  clientConfig: { url: `https://h/hooks/${name}` },
  rules: [],
  timeoutSeconds: 10,
  ...more,
});
const [a, b, c] = [webhook('a'), webhook('b'), webhook('c')];

/** A configuration as the API server has it, with these webhooks and this bundle in all of them. */
function found(webhooks: readonly object[], { generation = 1, name = 'other', namespace = 'ns', bundle = 'CA' } = {}) {
  return readRegistered({
    metadata: { uid: 'u', resourceVersion: '7', ...writtenBy({ generation, name }, namespace) },
    webhooks: webhooks.map((one) => (bundle === '' ? one : withBundle({ ...one }, bundle))),
  });
}

/** A replica of generation 2 that wants `a` and `b`, and a bundle that is `CA`. */
const situation = (more: Partial<RegistrationSituation> = {}): RegistrationSituation => ({
  found: undefined,
  wanted: [a, b],
  refusals: '',
  bundleFor: (registered) => (registered.includes('CA') ? undefined : `${registered}CA`),
  me: { generation: 2, name: 'me', namespace: 'ns' },
  isWriterGone: false,
  isLongEmpty: false,
  ...more,
});

const APPLIED = { type: 'apply', webhooks: [a, b].map((one) => withBundle(one, 'CA')) };

describe('the next step of a registration', () => {
  it.each<[string, Partial<RegistrationSituation>, object]>([
    ['nothing is wanted and nothing is there', { wanted: [] }, { type: 'none' }],
    ['nothing is there', {}, APPLIED],
    ['all is as it should be', { found: found([a, b]) }, { type: 'none' }],
    ['it was emptied', { found: found([]) }, APPLIED],
    ['a webhook is missing', { found: found([a]) }, APPLIED],
    ['a webhook was changed', { found: found([a, webhook('b', { timeoutSeconds: 1 })]) }, APPLIED],
    ['there is one more', { found: found([a, b, c]) }, { type: 'replace', webhooks: APPLIED.webhooks }],
    ['the order is another', { found: found([b, a]) }, { type: 'replace', webhooks: APPLIED.webhooks }],
    [
      'it belongs to another installation',
      { found: found([c], { namespace: 'x' }) },
      { type: 'foreign', namespace: 'x' },
    ],
    [
      'nothing is wanted beside another installation',
      { wanted: [], found: found([c], { namespace: 'x' }) },
      { type: 'none' },
    ],
    ['a newer replica wrote other webhooks', { found: found([c], { generation: 3 }) }, { type: 'none' }],
    ['a newer replica that is gone wrote them', { found: found([c], { generation: 3 }), isWriterGone: true }, APPLIED],
    ['one of the same generation, later by name', { found: found([c], { generation: 2 }) }, { type: 'none' }],
    ['one of the same generation, earlier by name', { found: found([c], { generation: 2, name: 'a' }) }, APPLIED],
    ['this replica wrote them', { found: found([c], { generation: 9, name: 'me' }) }, APPLIED],
    ['nothing is wanted any more', { wanted: [], found: found([a]) }, { type: 'replace', webhooks: [] }],
    [
      'nothing is wanted, but by a newer replica',
      { wanted: [], found: found([a], { generation: 3 }) },
      { type: 'none' },
    ],
    ['it has been empty for a moment', { wanted: [], found: found([]) }, { type: 'none' }],
    ['it has been empty for long', { wanted: [], found: found([]), isLongEmpty: true }, { type: 'delete' }],
  ])('when %s', (_, given, step) => {
    expect(registrationStep(situation(given))).toMatchObject(step);
  });

  it.each([1, 3])('completes a bundle, whichever generation wrote it: %s', (generation) => {
    const webhooks = [withBundle(a, 'CA'), withBundle(b, 'OLD')];

    expect(registrationStep(situation({ found: found(webhooks, { generation, bundle: '' }) }))).toMatchObject({
      type: 'bundles',
      bundles: new Map([[1, 'OLDCA']]),
    });
  });

  it('keeps the bundle of others where it writes', () => {
    const changed = webhook('a', { timeoutSeconds: 1 });
    const step = registrationStep(situation({ wanted: [a], found: found([changed], { bundle: 'OLD' }) }));

    expect(step).toEqual({ type: 'apply', webhooks: [withBundle(a, 'OLDCA')] });
  });

  it('leaves the field alone where there is no bundle of ours', () => {
    expect(registrationStep(situation({ bundleFor: () => undefined }))).toEqual({ type: 'apply', webhooks: [a, b] });
  });

  it('deletes nothing that hooklet did not write', () => {
    const foreign = readRegistered({ metadata: { uid: 'u', resourceVersion: '7' }, webhooks: [] });

    expect(registrationStep(situation({ wanted: [], found: foreign, isLongEmpty: true }))).toEqual({ type: 'none' });
  });

  it('takes what the API server leaves out or adds as the same', () => {
    const { rules: _, ...withoutRules } = withBundle(a, 'CA');

    expect(registrationStep(situation({ wanted: [a], found: found([withoutRules], { bundle: '' }) }))).toEqual({
      type: 'none',
    });
  });
});

describe('two replicas with different hooks', () => {
  it('come to rest after one write, whoever looks first', () => {
    const older = situation({ wanted: [a], me: { generation: 1, name: 'old', namespace: 'ns' } });
    const newer = situation({ wanted: [b], me: { generation: 2, name: 'new', namespace: 'ns' } });
    const before = found([a], { generation: 1, name: 'old' });
    expect(registrationStep({ ...older, found: before })).toEqual({ type: 'none' });
    expect(registrationStep({ ...newer, found: before })).toMatchObject({ type: 'apply' });

    const after = found([b], { generation: 2, name: 'new' });
    expect(registrationStep({ ...older, found: after })).toEqual({ type: 'none' });
    expect(registrationStep({ ...newer, found: after })).toEqual({ type: 'none' });
  });
});
