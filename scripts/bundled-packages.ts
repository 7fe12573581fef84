import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the files of a bundle are made of, as esbuild says it. */
export interface Bundled {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
}

/** Describes the npm packages with code in one of the bundles as CycloneDX, the same for the same bundles. */
export function bundledSbom(root: string, bundles: readonly Bundled[]): string {
  const inputs = bundles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs));
  const used = inputs.filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && !path.startsWith('node:'));
  const folders = used.flatMap(([path]) => packageFolder(path) ?? []);
  const packages = [...new Set(folders)].map((folder) => readManifest(join(root, folder)));
  const components = packages.map(component).toSorted((a, b) => (a.purl < b.purl ? -1 : 1));
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...component(readManifest(root)), type: 'application' } },
    components,
  };
  return `${JSON.stringify(document, undefined, 1)}\n`;
}

/** The folder of the npm package that a bundled file is in; undefined for our own. */
function packageFolder(path: string): string | undefined {
  // The innermost one: a package may bring another version of one that others use.
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

function readManifest(folder: string): Manifest {
  const path = join(folder, 'package.json');
  if (!existsSync(path)) throw new Error(`there is no ${path}, which should say what is bundled`);
  const { name, version, description, license }: Manifest = JSON.parse(readFileSync(path, 'utf8'));
  return {
    name,
    version,
    ...(description !== undefined && { description }),
    ...(license !== undefined && { license }),
  };
}

function component({ name, version, description, license }: Manifest) {
  const id = license === undefined ? {} : { licenses: [{ license: { id: license } }] };
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { type: 'library', 'bom-ref': purl, name, version, description, purl, ...id };
}
