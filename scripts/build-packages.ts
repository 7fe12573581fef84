import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';

interface Manifest {
  readonly version: string;
  /** Each door with its source: those in `src` are published, those in `test` are for this repository. */
  readonly exports?: Readonly<Record<string, string>>;
  /** Each program with its source. */
  readonly bin?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const root = join(import.meta.dirname, '..');
// Of the manifest of a package, what is the same in the one that is published.
const KEPT_FIELDS = ['name', 'version', 'description', 'license', 'type', 'sideEffects', 'engines'];
// Bundled CommonJS packages call require for modules of node.
const REQUIRE = 'const require = (id) => process.getBuiltinModule(id);';

/** Builds a package into a folder that can be published as it is: everything bundled, so without dependencies. */
export async function buildPackage(name: string, out = join(root, 'packages', name, 'dist')): Promise<void> {
  const folder = join(root, 'packages', name);
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const doors = Object.entries(manifest.exports ?? {}).filter(([, source]) => source.startsWith('./src/'));
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await build({
    absWorkingDir: folder,
    entryPoints: [...doors.map(([, source]) => source), ...Object.values(manifest.bin ?? {})],
    external: ['hooklet'],
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    ...(manifest.bin === undefined && { banner: { js: REQUIRE } }),
    chunkNames: 'chunks/[hash]',
    logLevel: 'warning',
  });
  if (doors.length > 0) declareTypes(folder, out);
  const exports = doors.map(([door, source]) => {
    const stem = basename(source, '.ts');
    return [door, { types: `./types/${stem}.d.ts`, default: `./${stem}.js` }];
  });
  const kept = KEPT_FIELDS.map((field) => [field, manifest[field]]);
  const published = {
    ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)),
    ...(doors.length > 0 && { exports: Object.fromEntries(exports) }),
    ...programsOf(manifest),
  };
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
  cpSync(join(folder, 'README.md'), join(out, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
}

/** A package with programs needs hooklet of the same version, whose program they run. */
function programsOf({ bin = {}, version }: Manifest): object {
  const programs = Object.entries(bin).map(([name, source]) => [name, `./${basename(source, '.ts')}.js`]);
  if (programs.length === 0) return {};
  return { bin: Object.fromEntries(programs), dependencies: { hooklet: version } };
}

/** The types of the doors, with the files that they name and no others. */
function declareTypes(folder: string, out: string): void {
  const types = join(out, 'types');
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  execFileSync(tsc, ['-p', join(folder, 'tsconfig.types.json'), '--outDir', types], { stdio: 'inherit' });
  const needed = new Set<string>();
  const visit = (file: string): void => {
    if (needed.has(file)) return;
    needed.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, path = ''] of text.matchAll(/(?:from |import\()'(\.[^']+)\.ts'/g)) {
      visit(join(dirname(file), `${path}.d.ts`));
    }
  };
  for (const door of globSync('*.js', { cwd: out })) visit(join(types, `${basename(door, '.js')}.d.ts`));
  for (const file of globSync('**/*.d.ts', { cwd: types }))
    if (!needed.has(join(types, file))) rmSync(join(types, file));
}
