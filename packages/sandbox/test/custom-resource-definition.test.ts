import { describe, expect, it } from 'vitest';
import {
  customResourceDefinitionCauses,
  withCustomResourceDefinitionDefaults,
} from '../src/custom-resource-definition.ts';
import type { JsonObject } from '../src/json.ts';
import { widgetDefinition } from './support/sandbox.ts';

function problems(definition: JsonObject, before?: JsonObject): readonly string[] {
  const causes = customResourceDefinitionCauses(withCustomResourceDefinitionDefaults(definition), before);
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

describe('a definition', () => {
  it('that is right has no problems', () => {
    expect(problems(widgetDefinition())).toEqual([]);
  });

  it.each([
    [{ scope: 'Foo' }, ['spec.scope: Unsupported value: "Foo": supported values: "Cluster", "Namespaced"']],
    [
      { group: 'other.io' },
      ['metadata.name: Invalid value: "widgets.example.com": must be spec.names.plural+"."+spec.group'],
    ],
    [
      { names: { plural: 'widgets' } },
      ['spec.names.singular: Required value', 'spec.names.kind: Required value', 'spec.names.listKind: Required value'],
    ],
    [
      { versions: [] },
      [
        'spec.versions: Invalid value: []: must have exactly one version marked as storage version',
        'status.storedVersions: Invalid value: null: must have at least one stored version',
      ],
    ],
    [
      { conversion: { strategy: 'Webhook' } },
      [
        'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
        'spec.conversion.conversionReviewVersions: Required value',
      ],
    ],
  ])('with %j is refused', (changes, expected) => {
    expect(problems(widgetDefinition(changes))).toEqual(expected);
  });

  it('needs a schema, and a type for every value in it', () => {
    const schema = {
      openAPIV3Schema: { type: 'object', properties: { a: {}, b: { 'x-kubernetes-int-or-string': true } } },
    };

    expect(problems(widgetDefinition({}, { schema }))).toEqual([
      'spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields',
    ]);
    expect(problems(widgetDefinition({}, { schema: {} }))).toEqual([
      'spec.versions[0].schema.openAPIV3Schema: Required value',
    ]);
  });

  it('keeps its scope for life', () => {
    expect(problems(widgetDefinition({ scope: 'Cluster' }), widgetDefinition())).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ]);
  });
});
