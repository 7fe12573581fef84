import { describe, expect, it } from 'vitest';
import { parseFieldSelector } from '../src/field-selector.ts';
import { Kinds } from '../src/kinds.ts';
import type { ServedKind } from '../src/kind.ts';

function kindOf(plural: string, group = ''): ServedKind {
  const kind = new Kinds().find(group, 'v1', plural);
  if (kind === undefined) throw new Error(`no ${plural}`);
  return kind;
}

const pod = {
  metadata: { name: 'p', namespace: 'default' },
  spec: { nodeName: 'n1' },
  status: { phase: 'Running' },
};

describe('field selectors', () => {
  it.each([
    ['metadata.name=p', true],
    ['metadata.name==p,metadata.namespace=default', true],
    ['metadata.name!=p', false],
    ['status.phase=Running,spec.nodeName!=n2', true],
    ['spec.hostNetwork=false', true],
    ['status.podIP=', true],
    ['', true],
  ])('%j selects a pod: %s', (text, selects) => {
    expect(parseFieldSelector(kindOf('pods'), text)(pod)).toBe(selects);
  });

  it.each([
    ['pods', '', 'field label not supported: spec.bogus'],
    ['configmaps', '', '"spec.bogus" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ['deployments', 'apps', '"spec.bogus" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ['jobs', 'batch', 'field label "spec.bogus" not supported for Job'],
  ])('%s refuse an unknown field', (plural, group, message) => {
    expect(() => parseFieldSelector(kindOf(plural, group), 'spec.bogus=1')).toThrow(
      expect.objectContaining({ code: 400, message }),
    );
  });

  it('what is no comparison is refused', () => {
    expect(() => parseFieldSelector(kindOf('pods'), 'foo')).toThrow("invalid selector: 'foo'; can't understand 'foo'");
  });

  it('the owner of an event goes by both of its names', () => {
    const event = { involvedObject: { name: 'p' }, source: { component: 'kubelet' } };

    expect(parseFieldSelector(kindOf('events'), 'involvedObject.name=p')(event)).toBe(true);
    expect(parseFieldSelector(kindOf('events'), 'source=kubelet')(event)).toBe(true);
  });
});
