import { describe, expect, it } from 'vitest';
import { connect } from '@hooklet/sandbox/conformance';
import {
  type BuiltInKind,
  builtInTopology,
  isBuiltInGroup,
  memberOf,
  topLevelFieldsOf,
  type Topology,
} from '@hooklet/sandbox/testing';
import { sharedControlPlane } from './shared-control-plane.ts';

interface Definition {
  readonly $ref?: string;
  readonly type?: string;
  readonly allOf?: readonly Definition[];
  readonly items?: Definition;
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly additionalProperties?: Definition;
  readonly 'x-kubernetes-group-version-kind'?: readonly BuiltInKind[];
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
}

// Its schema is recursive, and it is data, not a part of an object.
const OPAQUE = new Set(['io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps']);

/** The kinds that are built into the server, each with its definition. */
async function builtInKinds(): Promise<{
  readonly kinds: readonly { readonly named: BuiltInKind; readonly definition: Definition }[];
  readonly definitions: Readonly<Record<string, Definition>>;
}> {
  const plane = sharedControlPlane();
  const { body } = await connect({ ...plane, token: plane.tokenOf('admin') }).get('/openapi/v2');
  const definitions: Readonly<Record<string, Definition>> = JSON.parse(JSON.stringify(body['definitions']));
  const kinds = Object.values(definitions).flatMap((definition) =>
    (definition['x-kubernetes-group-version-kind'] ?? []).map((named) => ({ named, definition })),
  );
  const objects = kinds.filter(
    ({ named, definition }) =>
      isBuiltInGroup(named.group) && definition.properties?.['metadata'] !== undefined && !NO_OBJECT.test(named.kind),
  );
  expect(objects.length).toBeGreaterThan(50);
  return { kinds: objects, definitions };
}

// List kinds, and kinds that are only sent over the wire.
const NO_OBJECT = /List$|^(?:DeleteOptions|Status|WatchEvent)$/;

describe('the sandbox’s table of top-level fields', () => {
  it('names no field too few, and too many only of spec and status', async () => {
    const { kinds } = await builtInKinds();

    for (const { named, definition } of kinds) {
      const ours = topLevelFieldsOf(named);
      const theirs = Object.keys(definition.properties ?? {});
      const extra = ours.filter((field) => !theirs.includes(field) && field !== 'spec' && field !== 'status');
      const missing = theirs.filter((field) => !ours.includes(field));

      expect({ named, extra, missing }).toEqual({ named, extra: [], missing: [] });
    }
  });
});

describe('the sandbox’s table of how built-in fields merge', () => {
  it('says what the server’s OpenAPI document says', async () => {
    const { kinds, definitions } = await builtInKinds();

    const differences = kinds.flatMap(({ named, definition }) =>
      differencesIn(
        { definition, topology: builtInTopology(named), path: `${named.kind}.${named.group}` },
        definitions,
      ),
    );

    expect(differences).toEqual([]);
  });
});

interface Place {
  readonly definition: Definition;
  readonly topology: Topology;
  readonly path: string;
}

function differencesIn(
  { definition, topology, path }: Place,
  all: Readonly<Record<string, Definition>>,
): readonly string[] {
  return Object.entries(definition.properties ?? {}).flatMap(([name, property]) => {
    const place = { definition: property, topology: memberOf(topology, name), path: `${path}.${name}` };
    return property.type === 'array' ? differencesInList(place, all) : differencesInField(place, all);
  });
}

function differencesInList(
  { definition, topology, path }: Place,
  all: Readonly<Record<string, Definition>>,
): readonly string[] {
  const strategy = definition['x-kubernetes-patch-strategy'] ?? '';
  const expected = {
    relation: definition['x-kubernetes-list-type'] ?? 'atomic',
    keys: definition['x-kubernetes-list-map-keys'] ?? [],
    mergeKey: strategy.includes('merge') ? (definition['x-kubernetes-patch-merge-key'] ?? '') : undefined,
  };
  const actual =
    topology.type === 'list'
      ? { relation: topology.relation, keys: topology.keys, mergeKey: topology.mergeKey }
      : { relation: 'atomic', keys: [], mergeKey: undefined };
  const difference = differenceBetween(path, actual, expected);
  if (topology.type !== 'list' || definition.items === undefined) return difference;
  const place = { definition: definition.items, topology: topology.element, path: `${path}[]` };
  return expected.relation === 'map' ? [...difference, ...differencesInField(place, all)] : difference;
}

function differencesInField(
  { definition, topology, path }: Place,
  all: Readonly<Record<string, Definition>>,
): readonly string[] {
  const reference = (definition.$ref ?? '').replace('#/definitions/', '');
  const referred = all[reference];
  if (OPAQUE.has(reference) || !isObject(definition, referred)) return [];
  const declared = mapTypeOf(definition) ?? mapTypeOf(referred) ?? 'granular';
  const difference = differenceBetween(path, topology.type === 'atomic' ? 'atomic' : 'granular', declared);
  if (declared === 'atomic' || referred === undefined) return difference;
  return [...difference, ...differencesIn({ definition: referred, topology, path }, all)];
}

function isObject(definition: Definition, referred: Definition | undefined): boolean {
  return referred?.properties !== undefined || definition.additionalProperties !== undefined;
}

function mapTypeOf(definition: Definition | undefined): string | undefined {
  return definition?.['x-kubernetes-map-type'];
}

function differenceBetween(path: string, actual: unknown, expected: unknown): readonly string[] {
  const [ours, theirs] = [JSON.stringify(actual), JSON.stringify(expected)];
  return ours === theirs ? [] : [`${path}: ${ours}, but the server says ${theirs}`];
}
