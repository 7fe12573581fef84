import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { schemaTopology } from '../../src/patch/schema-topology.ts';
import { memberOf, shapeOf } from '../../src/patch/topology.ts';

function topologyOf(property: JsonObject): ReturnType<typeof memberOf> {
  return memberOf(schemaTopology({ type: 'object', properties: { p: property } }), 'p');
}

describe('the topology of a custom resource', () => {
  it.each<readonly [string, JsonObject, JsonObject | readonly unknown[], string]>([
    ['an object is granular', { type: 'object' }, {}, 'object'],
    ['an atomic map is a leaf', { type: 'object', 'x-kubernetes-map-type': 'atomic' }, {}, 'leaf'],
    ['a list is a leaf', { type: 'array' }, [], 'leaf'],
    ['a set merges', { type: 'array', 'x-kubernetes-list-type': 'set' }, [], 'list'],
    ['a map of items merges', { type: 'array', 'x-kubernetes-list-type': 'map' }, [], 'list'],
    ['an int-or-string is a leaf', { 'x-kubernetes-int-or-string': true }, {}, 'leaf'],
    ['preserved data is granular', { 'x-kubernetes-preserve-unknown-fields': true }, {}, 'object'],
  ])('%s', (_title, schema, value, shape) => {
    expect(shapeOf(topologyOf(schema), JSON.parse(JSON.stringify(value)))).toBe(shape);
  });

  it('knows the keys of a list and their defaults', () => {
    const items = { type: 'object', properties: { port: {}, protocol: { type: 'string', default: 'TCP' } } };
    const list = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items,
    };

    expect(topologyOf(list)).toMatchObject({ keys: ['port', 'protocol'], keyDefaults: { protocol: 'TCP' } });
  });

  it('brings the metadata that every object has, embedded ones included', () => {
    const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true };
    const metadata = memberOf(topologyOf(embedded), 'metadata');

    expect(memberOf(metadata, 'finalizers')).toMatchObject({ relation: 'set' });
    expect(memberOf(memberOf(schemaTopology(undefined), 'metadata'), 'ownerReferences')).toMatchObject({
      keys: ['uid'],
    });
  });
});
