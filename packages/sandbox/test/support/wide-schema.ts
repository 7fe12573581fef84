import type { JsonObject } from '../../src/json.ts';

/** A schema of a custom resource's spec with every keyword of structural schemas. */
export const WIDE_SPEC: JsonObject = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 10, multipleOf: 2 },
    ratio: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
    mode: { type: 'string', enum: ['a', 'b'] },
    count: { type: 'integer', enum: [1, 2] },
    name: { type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z]+$' },
    flag: { type: 'boolean', default: true },
    list: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string' } },
    map: { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: { type: 'integer' } },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } },
      },
    },
    any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    either: { 'x-kubernetes-int-or-string': true },
    nothing: { type: 'string', nullable: true },
    deep: { type: 'object', default: {}, properties: { x: { type: 'string', default: 'dx' } } },
    one: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    some: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    not: { type: 'string', not: { enum: ['bad'] } },
    template: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    day: { type: 'string', format: 'date' },
    when: { type: 'string', format: 'date-time' },
    mail: { type: 'string', format: 'email' },
    address: { type: 'string', format: 'ipv4' },
    wait: { type: 'string', format: 'duration' },
    blob: { type: 'string', format: 'byte' },
    odd: { type: 'string', format: 'nobody-knows' },
  },
};

/** Specs that violate it, with all errors of the API server for each. */
export const REFUSED_SPECS: readonly (readonly [JsonObject, readonly string[]])[] = [
  [{}, ['spec.size: Required value']],
  [{ size: null }, ['spec.size: Required value']],
  [{ size: 'abc' }, ['spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"']],
  [{ size: 3 }, ['spec.size: Invalid value: 3: spec.size in body should be a multiple of 2']],
  [{ size: 0 }, ['spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1']],
  [{ size: 12 }, ['spec.size: Invalid value: 12: spec.size in body should be less than or equal to 10']],
  [{ size: 2, ratio: 0 }, ['spec.ratio: Invalid value: 0: spec.ratio in body should be greater than 0']],
  [{ size: 2, ratio: 1.5 }, ['spec.ratio: Invalid value: 1.5: spec.ratio in body should be less than 1']],
  [{ size: 2, mode: 'c' }, ['spec.mode: Unsupported value: "c": supported values: "a", "b"']],
  [{ size: 2, count: 3 }, ['spec.count: Unsupported value: 3: supported values: "1", "2"']],
  [{ size: 2, name: 'A' }, ['spec.name: Invalid value: "A": spec.name in body should be at least 2 chars long']],
  [{ size: 2, name: 'AB' }, [`spec.name: Invalid value: "AB": spec.name in body should match '^[a-z]+$'`]],
  [{ size: 2, name: 'abcdefg' }, ['spec.name: Too long: may not be more than 5 bytes']],
  [{ size: 2, list: [] }, ['spec.list: Invalid value: 0: spec.list in body should have at least 1 items']],
  [{ size: 2, list: ['a', 'b', 'c'] }, ['spec.list: Too many: 3: must have at most 2 items']],
  [
    { size: 2, list: [1, 'b'] },
    ['spec.list[0]: Invalid value: "integer": spec.list[0] in body must be of type string: "integer"'],
  ],
  [{ size: 2, map: {} }, ['spec.map: Invalid value: 0: spec.map in body should have at least 1 properties']],
  [{ size: 2, map: { a: 1, b: 2, c: 3 } }, ['spec.map: Too many: 3: must have at most 2 items']],
  [
    { size: 2, map: { a: '1' } },
    ['spec.map.a: Invalid value: "string": spec.map.a in body must be of type integer: "string"'],
  ],
  [{ size: 2, tags: ['a', 'a'] }, ['spec.tags[1]: Duplicate value: "a"']],
  [{ size: 2, ports: [{ port: 1 }, { port: 1 }] }, ['spec.ports[1]: Duplicate value: {"port":1,"protocol":"TCP"}']],
  [{ size: 2, ports: [{ protocol: 'x' }] }, ['spec.ports[0].port: Required value']],
  [
    { size: 2, either: 1.5 },
    ['spec.either: Invalid value: "number": spec.either in body must be of type integer,string: "number"'],
  ],
  [
    { size: 2, one: { a: '1', b: '2' } },
    ['<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
  ],
  [
    { size: 2, some: {} },
    ['spec.some.a: Required value', '<nil>: Invalid value: "": "spec.some" must validate at least one schema (anyOf)'],
  ],
  [{ size: 2, not: 'bad' }, ['<nil>: Invalid value: "": "spec.not" must not validate the schema (not)']],
  [{ size: 2, template: { a: 1 } }, ['spec.template.apiVersion: Required value', 'spec.template.kind: Required value']],
  [{ size: 2, day: 'x' }, ['spec.day: Invalid value: "x": spec.day in body must be of type date: "x"']],
  [{ size: 2, when: 'x' }, ['spec.when: Invalid value: "x": spec.when in body must be of type date-time: "x"']],
  [{ size: 2, mail: 'x' }, ['spec.mail: Invalid value: "x": spec.mail in body must be of type email: "x"']],
  [{ size: 2, address: 'x' }, ['spec.address: Invalid value: "x": spec.address in body must be of type ipv4: "x"']],
  [{ size: 2, wait: 'x' }, ['spec.wait: Invalid value: "x": spec.wait in body must be of type duration: "x"']],
  [{ size: 2, blob: '*' }, ['spec.blob: Invalid value: "*": spec.blob in body must be of type byte: "*"']],
];

/** Specs that satisfy it. */
export const ACCEPTED_SPECS: readonly JsonObject[] = [
  { size: 2, ratio: 0.5, mode: 'a', name: 'abc', list: ['a'], map: { a: 1 } },
  { size: 2, either: '5%' },
  { size: 2, either: 5 },
  { size: 2, nothing: null },
  { size: 2, day: '2024-02-29', when: '2024-02-29T10:00:00.5+01:00', wait: '1h30m', odd: 'any' },
  { size: 2, template: { apiVersion: 'v1', kind: 'Pod', metadata: {} } },
  { size: 2, ports: [{ port: 1 }, { port: 1, protocol: 'UDP' }] },
];
