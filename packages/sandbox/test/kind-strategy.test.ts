import { describe, expect, it } from 'vitest';
import { definedKinds } from '../src/custom-resources.ts';
import { hasGeneration, isCreatedOnUpdate, isReturnedWhenDeleted, needsResourceVersion } from '../src/kind-strategy.ts';
import { Kinds } from '../src/kinds.ts';
import { widgetDefinition } from './support/sandbox.ts';

const kinds = [...new Kinds().all(), ...definedKinds(widgetDefinition())];

describe('the rules of a kind', () => {
  it.each([
    { plural: 'pods', generation: true, created: false, conditional: false, returned: true },
    { plural: 'configmaps', generation: false, created: false, conditional: false, returned: false },
    { plural: 'services', generation: false, created: true, conditional: false, returned: true },
    { plural: 'deployments', generation: true, created: false, conditional: false, returned: false },
    { plural: 'leases', generation: false, created: true, conditional: true, returned: false },
    { plural: 'widgets', generation: true, created: false, conditional: true, returned: false },
  ])('$plural', ({ plural, generation, created, conditional, returned }) => {
    const kind = kinds.find((candidate) => candidate.plural === plural);

    expect(
      kind && [hasGeneration(kind), isCreatedOnUpdate(kind), needsResourceVersion(kind), isReturnedWhenDeleted(kind)],
    ).toEqual([generation, created, conditional, returned]);
  });
});
