import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HEADER, printTypes } from '../../../src/cli/author/crd/print-types.ts';
import { readCrds } from '../../../src/cli/author/crd/read-crds.ts';
import { typesCommand } from '../../../src/cli/author/types-command.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const SPEC = `
type: object
required: [size, mode]
properties:
  size: {type: integer, format: int64, description: "How many; */ ends no comment."}
  mode: {type: string, enum: [fast, "it's slow"]}
  level: {enum: [1, 2, null], nullable: true, type: integer}
  port: {x-kubernetes-int-or-string: true}
  maybe: {type: string, nullable: true}
  when: {type: string, format: date-time}
  any: {x-kubernetes-preserve-unknown-fields: true}
  open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: boolean}}}
  labels: {type: object, additionalProperties: {type: string}}
  limits: {type: object, additionalProperties: {x-kubernetes-int-or-string: true}}
  list: {type: array, items: {type: object, properties: {a-b: {type: number}, "2nd": {type: array, items: {type: string}}}}}
  template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
  "__proto__": {type: string}
`;

function crd(kind: string, group: string, versions: readonly string[], spec = SPEC): string {
  const schema = `{type: object, description: "A ${kind}.", properties: {spec: ${flow(spec)}, status: {type: object, properties: {ready: {type: boolean}}}}}`;
  const listed = versions.map(
    (name) => `{name: ${name}, served: ${name !== 'v1alpha1'}, schema: {openAPIV3Schema: ${schema}}}`,
  );
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: x}
spec: {group: ${group}, names: {kind: ${kind}}, versions: [${listed.join(', ')}]}
`;
}

/** The block mapping of \`SPEC\` as a flow mapping. */
function flow(spec: string): string {
  const [type = '', required = '', , ...properties] = spec.trim().split('\n');
  return `{${type}, ${required}, properties: {${properties.map((line) => line.trim()).join(', ')}}}`;
}

function typesOf(...texts: readonly string[]): string {
  return printTypes(readCrds(texts.map((text, index) => ({ name: `${index}.yaml`, text }))));
}

let folder = '';

// Inside the project, so that packages are found, under a name that the project's own type check excludes.
beforeEach(() => {
  folder = mkdtempSync(join(root, 'node_modules', '.hooklet-types-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The lines of a module beside the types for which the compiler reports an error. */
async function wrongLines(types: string, use: string): Promise<readonly number[]> {
  writeFileSync(join(folder, 'kinds.ts'), types);
  writeFileSync(join(folder, 'use.ts'), use);
  const compilerOptions = { types: ['node'], typeRoots: [join(root, 'node_modules', '@types')] };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'], exclude: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = await execa({ cwd: folder, preferLocal: true, localDir: root, reject: false })`tsc --pretty false`;
  const lines = [...stdout.matchAll(/^([^\s(]*)\((\d+),\d+\): error TS\d+/gm)];
  expect(lines.filter(([, file]) => file !== 'use.ts').map(([line]) => line)).toEqual([]);
  return [...new Set(lines.map(([, , line]) => Number(line)))].toSorted((a, b) => a - b);
}

const USE = `import { reconcile } from 'hooklet';
import type { NewThingV1, ThingV1 } from './kinds.ts';
const base = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' } } as const;
export const right: NewThingV1 = {
  ...base,
  spec: {
    size: 1, mode: "it's slow", level: null, port: 'http', maybe: null, when: '2026', any: [1], open: { known: true, more: 1 },
    labels: { a: 'b' }, limits: { cpu: 1, memory: '1Gi' }, list: [{ 'a-b': 1.5, '2nd': ['x'] }],
    template: { apiVersion: 'v1', kind: 'Pod', spec: {} },
  },
};
export default reconcile<ThingV1>({ apiVersion: 'example.com/v1', kind: 'Thing' }, ({ object }) => ({
  children: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: object.metadata.name }, data: { m: object.spec?.mode } }],
}));
export const noSize: NewThingV1 = { ...base, spec: { mode: 'fast' } }; // wrong
export const otherMode: NewThingV1 = { ...base, spec: { size: 1, mode: 'slow' } }; // wrong
export const otherKind: NewThingV1 = { ...base, kind: 'Other' }; // wrong
export const text: NewThingV1 = { ...base, spec: { size: '1', mode: 'fast' } }; // wrong
export const unknown: NewThingV1 = { ...base, spec: { size: 1, mode: 'fast', sise: 1 } }; // wrong
export const level: NewThingV1 = { ...base, spec: { size: 1, mode: 'fast', level: 3 } }; // wrong
export const label: NewThingV1 = { ...base, spec: { size: 1, mode: 'fast', labels: { a: 1 } } }; // wrong
export const known: NewThingV1 = { ...base, spec: { size: 1, mode: 'fast', open: { known: 1 } } }; // wrong
export const status = (thing: ThingV1): number => thing.status?.ready; // wrong
`;

describe('hooklet types', () => {
  it('writes types that a right object fits, and a wrong one does not', async () => {
    const wrong = USE.split('\n').flatMap((line, index) => (line.endsWith('// wrong') ? [index + 1] : []));

    expect(await wrongLines(typesOf(crd('Thing', 'example.com', ['v1', 'v1alpha1'])), USE)).toEqual(wrong);
    expect(wrong.length).toBe(9);
  });

  it('has each version, and says which is not served', () => {
    const types = typesOf(crd('Thing', 'example.com', ['v1', 'v1alpha1']));

    expect(types).toContain('/** A Thing. */\nexport interface ThingV1 {');
    expect(types).toContain('/** A Thing. This version is not served. */\nexport interface ThingV1alpha1 {');
  });

  it('gives the same text in whatever order the files come', () => {
    const [first, second] = [crd('Thing', 'a.com', ['v1', 'v2']), crd('Thing', 'b.com', ['v1'])];

    expect(typesOf(first, second)).toBe(typesOf(second, first));
    expect(typesOf(first, second)).toMatch(/interface AComThingV1 [^]*interface ThingV2 [^]*interface BComThingV1 /);
  });

  it('makes names of kinds and versions that are none', () => {
    expect(typesOf(crd('my-kind', 'example.com', ['_v1-0']))).toContain('export interface MyKindV10 {');
  });

  it('passes over other objects, and reads lists', () => {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [{ kind: 'ConfigMap' }] });

    expect(typesOf(`${list}\n---\n${crd('Thing', 'example.com', ['v1'])}`)).toContain('interface ThingV1');
  });

  it('says all that is wrong, with file and line', () => {
    const old = 'apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n';
    const bare =
      '---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {group: 1, versions: []}\n';

    expect(() => typesOf(`${old}${bare}`, 'a: [', '{}')).toThrow(
      /^types: 0\.yaml:1: apiVersion: got "apiextensions\.k8s\.io\/v1beta1", expected apiextensions\.k8s\.io\/v1.*\n {2}0\.yaml:\d+: spec\.names: got .*, expected a mapping\n {2}0\.yaml:\d+: spec\.group: got 1, expected a string[^]*spec\.versions: got \[\], expected a list of versions\n {2}1\.yaml:\d+: not YAML: [^]*2\.yaml: no CustomResourceDefinition in it/,
    );
  });

  it('bounds what schemas can ask for', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`f${index}`, { type: 'string' }]),
    );
    const versions = Array.from({ length: 250 }, (_, index) => ({
      group: 'example.com',
      kind: 'Thing',
      version: `v${index}`,
      isServed: true,
      schema: { properties },
    }));

    expect(() => printTypes(versions)).toThrow('types: the schemas have more than 200000 parts');
  });

  it('replaces what it has written, and no other file', async () => {
    const [source, out] = [join(folder, 'crd.yaml'), join(folder, 'out.ts')];
    writeFileSync(source, crd('Thing', 'example.com', ['v1']));

    expect([await typesCommand([source], { out }), await typesCommand([source], { out })]).toEqual([0, 0]);
    expect(readFileSync(out, 'utf8').startsWith(HEADER)).toBe(true);
    writeFileSync(out, 'mine');
    await expect(typesCommand([source], { out })).rejects.toThrow('it is there, and was not written by hooklet types');
    await expect(typesCommand([join(folder, 'none.yaml')], {})).rejects.toThrow('cannot be read: ENOENT');
  });
});
