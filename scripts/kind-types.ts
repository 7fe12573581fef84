import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { builtInKinds } from '@hooklet/sandbox/kinds';

const root = join(import.meta.dirname, '..');
const client = join(root, 'node_modules', '@kubernetes', 'client-node');

/**
 * The module `hooklet/kinds`: the built-in kinds as interfaces. It is made of the types of `@kubernetes/client-node`, and
 * differs where a hook sees something else than that client: times are the strings that JSON has, and fields have the
 * names of the API. So the package needs no other one for its types.
 */
export function kindTypes(): string {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
  const models = globSync('dist/gen/models/*.d.ts', { cwd: client })
    .toSorted()
    .map((file) => readModel(join(client, file)))
    .filter((model) => model !== undefined);
  const head = `// The built-in kinds of Kubernetes, made of the types of @kubernetes/client-node ${version} (Apache-2.0).\n`;
  return [head, ...models.map(({ text }) => text), kindMap(models), builtInMap(models)].join('\n');
}

interface Model {
  readonly name: string;
  readonly text: string;
  readonly isKind: boolean;
}

function readModel(file: string): Model | undefined {
  const name = basename(file, '.d.ts');
  const source = readFileSync(file, 'utf8');
  const found =
    /^(?:\/\*\*\n\* (?<description>.*)\n\*\/\n)?export declare class \w+ \{\n(?<body>.*?)^ {4}static /ms.exec(source);
  if (found?.groups === undefined || name === 'ObjectSerializer') return undefined;
  const { description = '', body = '' } = found.groups;
  const fields = fieldsOf(body, apiNames(file));
  return {
    name,
    text: `${commented(description, '')}export interface ${name} {\n${fields}}\n`,
    isKind: /'apiVersion'\?: string/.test(body) && /'metadata'\??: V1ObjectMeta;/.test(body),
  };
}

/** The names of fields in the API by those in the client, where they differ. */
function apiNames(file: string): ReadonlyMap<string, string> {
  const code = readFileSync(file.replace(/\.d\.ts$/, '.js'), 'utf8');
  const pairs = code.matchAll(/"name": "([^"]+)",\s+"baseName": "([^"]+)"/g);
  return new Map([...pairs].map(([, name = '', baseName = '']) => [name, baseName]));
}

function fieldsOf(body: string, names: ReadonlyMap<string, string>): string {
  const field = /(?: {4}\/\*\*\n {4}\* (.*)\n {4}\*\/\n)? {4}'([^']+)'(\??): ([^;{]+|\{\n[^}]*\});\n/g;
  return [...body.matchAll(field)]
    .map(([, description = '', name = '', mark = '', type = '']) => {
      const own = names.get(name) ?? name;
      const key = /^\w+$/.test(own) ? own : `'${own}'`;
      return `${commented(description, '  ')}  ${key}${mark}: ${jsonType(type)};\n`;
    })
    .join('');
}

/** The type of the value in JSON. */
function jsonType(type: string): string {
  return type
    .replaceAll(/\s+/g, ' ')
    .replace(/\{ \[key: string\]: (.*); \}/, 'Record<string, $1>')
    .replaceAll(/\b(?:Date|V1MicroTime)\b/g, 'string')
    .replaceAll(/\bIntOrString\b/g, 'number | string')
    .replaceAll(/\bany\b/g, 'unknown');
}

const MAX_COMMENT = 300;

/** The first sentence, which says what a field is. */
function commented(description: string, indent: string): string {
  const text = description
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\\(['"])/g, '$1')
    .trim();
  const sentence = /^.*?[.](?= [A-Z]|$)/.exec(text)?.[0] ?? text;
  return sentence === '' ? '' : `${indent}/** ${sentence.slice(0, MAX_COMMENT)} */\n`;
}

const NAMED = /^(?:[A-Z][a-z]+)*?V(\d+)(?:(alpha|beta)(\d+))?(.+)$/;

/** The kinds with the name of their model, in their most stable version. */
function stableKinds(models: readonly Model[]): readonly (readonly [kind: string, model: string])[] {
  const kinds = Map.groupBy(
    models.filter(({ isKind }) => isKind),
    ({ name }) => NAMED.exec(name)?.[4] ?? name,
  );
  return [...kinds]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([kind, versions]) => {
      const [best] = versions.toSorted((left, right) => rank(right.name) - rank(left.name));
      return [kind, best?.name ?? ''] as const;
    });
}

/** What `kubernetes({ kind: 'Pod' })` is told of the kinds that an API server has from the start. */
function builtInMap(models: readonly Model[]): string {
  const served = builtInKinds();
  const lines = stableKinds(models).flatMap(([kind, model]) => {
    const [, major = '', stage = '', minor = ''] = NAMED.exec(model) ?? [];
    const found = served.find((one) => one.kind === kind && one.version === `v${major}${stage}${minor}`);
    if (found === undefined) return [];
    const apiVersion = found.group === '' ? found.version : `${found.group}/${found.version}`;
    return [`    ${kind}: { readonly apiVersion: '${apiVersion}'; readonly object: KubernetesKinds['${kind}'] };\n`];
  });
  return `declare module './sdk/bindings.ts' {
  interface BuiltInKinds {
${lines.join('')}  }
}
`;
}

/** The kinds by their names, as hooks see them. */
function kindMap(models: readonly Model[]): string {
  const lines = stableKinds(models).map(([kind, model]) => `  ${kind}: Observed<${model}>;\n`);
  return `/** An object as the API server returns it: what every object has is there. */
export type Observed<Kind> = Kind & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: V1ObjectMeta & {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
  };
};

/** The built-in kinds by their names: \`kubernetes<KubernetesKinds['Pod']>({ kind: 'Pod' })\`. */
export interface KubernetesKinds {
${lines.join('')}}
`;
}

/** Stable versions come before beta and alpha ones, and newer ones before older; of equals that of the core group. */
function rank(name: string): number {
  const [, major = '0', stage, minor = '0'] = NAMED.exec(name) ?? [];
  const stages = { alpha: 0, beta: 1 };
  const stability = stage === 'alpha' || stage === 'beta' ? stages[stage] : 2;
  return stability * 10_000 + Number(major) * 100 + Number(minor) + (name.startsWith('Core') ? 0.5 : 0);
}
