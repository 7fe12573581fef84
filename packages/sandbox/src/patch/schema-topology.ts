import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';
import { builtInTopology } from './built-in-topology.ts';
import type { ObjectTopology, Topology } from './topology.ts';
import { ANYTHING, ATOMIC } from './topology.ts';

/**
 * The topology of a custom resource, from its structural schema; without a schema, everything but metadata is a map.
 */
export function schemaTopology(schema: JsonObject | undefined): ObjectTopology {
  if (schema === undefined) return { ...ANYTHING, fields: OBJECT_FIELDS };
  const known = topologies.get(schema);
  if (known !== undefined) return known;
  const topology = withObjectFields(objectTopology(schema));
  topologies.set(schema, topology);
  return topology;
}

const topologies = new WeakMap<JsonObject, ObjectTopology>();

const OBJECT_FIELDS: Readonly<Record<string, Topology>> = {
  apiVersion: ATOMIC,
  kind: ATOMIC,
  metadata: builtInTopology({ group: '', version: 'v1', kind: 'ObjectMeta' }).fields['metadata'] ?? ATOMIC,
};

function withObjectFields(topology: ObjectTopology): ObjectTopology {
  return { ...topology, fields: { ...topology.fields, ...OBJECT_FIELDS } };
}

function topologyOf(schema: JsonValue | undefined): Topology {
  if (!isJsonObject(schema)) return ANYTHING;
  if (schema['x-kubernetes-int-or-string'] === true) return ATOMIC;
  if (schema['type'] === 'array') return listTopology(schema);
  if (schema['type'] !== 'object')
    return schema['x-kubernetes-preserve-unknown-fields'] === true ? ANYTHING : scalar(schema);
  if (schema['x-kubernetes-map-type'] === 'atomic') return ATOMIC;
  const topology = objectTopology(schema);
  return schema['x-kubernetes-embedded-resource'] === true ? withObjectFields(topology) : topology;
}

function scalar({ type }: JsonObject): Topology {
  if (type === 'integer' || type === 'number') return { type: 'atomic', scalar: 'numeric' };
  return type === 'string' || type === 'boolean' ? { type: 'atomic', scalar: type } : ATOMIC;
}

function objectTopology(schema: JsonObject): ObjectTopology {
  const properties = schema['properties'];
  const extra = schema['additionalProperties'];
  const fields = isJsonObject(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, topologyOf(property)]))
    : {};
  if (isJsonObject(extra)) return { type: 'object', fields, others: 'map', element: topologyOf(extra) };
  const open = extra === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return { type: 'object', fields, others: open ? 'map' : 'forbidden' };
}

function listTopology(schema: JsonObject): Topology {
  const items = schema['items'];
  const element = topologyOf(items);
  const relation = schema['x-kubernetes-list-type'];
  if (relation === 'set') return { type: 'list', relation, keys: [], keyDefaults: {}, element };
  if (relation !== 'map') return { type: 'list', relation: 'atomic', keys: [], keyDefaults: {}, element };
  const listed = schema['x-kubernetes-list-map-keys'];
  const keys = isJsonArray(listed) ? listed.filter((key) => typeof key === 'string') : [];
  return { type: 'list', relation, keys, keyDefaults: defaultsOf(items, keys), element };
}

function defaultsOf(items: JsonValue | undefined, keys: readonly string[]): Readonly<Record<string, JsonValue>> {
  const properties = isJsonObject(items) ? items['properties'] : undefined;
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(
    keys.flatMap((key) => {
      const property = properties[key];
      const value = isJsonObject(property) ? property['default'] : undefined;
      return value === undefined ? [] : [[key, value]];
    }),
  );
}
