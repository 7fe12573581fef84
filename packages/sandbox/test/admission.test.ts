import { describe, expect, it } from 'vitest';
import { admitObject } from '../src/admission.ts';
import { definedKinds } from '../src/custom-resources.ts';
import { Kinds } from '../src/kinds.ts';
import { widgetDefinition } from './support/sandbox.ts';

const kinds = [...new Kinds().all(), ...definedKinds(widgetDefinition())];

describe('admission', () => {
  it.each([
    ['Pod', {}, 'spec.containers'],
    ['Widget', { apiVersion: 'example.com/v1', kind: 'Widget', spec: {} }, 'spec.color'],
    ['CustomResourceDefinition', { spec: {} }, 'spec.group'],
  ])('a %s is completed and checked by the rules of its kind', (name, object, field) => {
    const kind = kinds.find((candidate) => candidate.kind === name);
    if (kind === undefined) throw new Error(`no ${name}`);

    const admitted = admitObject(kind, object, undefined, { strict: false });

    expect(admitted.object).not.toEqual(object);
    expect(admitted.causes.map((cause) => cause.field)).toContain(field);
  });
});
