import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, resolve } from 'node:path';
import { build, transform, type Metafile, type Plugin } from 'esbuild';
import { buildPackage } from './build-packages.ts';
import { bundledSbom } from './bundled-packages.ts';
import { kindTypes } from './kind-types.ts';
import { PROGRAMS, PUBLISHED } from './published-packages.ts';

// These share what they have in common with each other.
const SHARING_ENTRIES = {
  main: 'src/main.ts',
  'world-process': 'src/cli/world-process.ts',
  testing: 'src/testing/index.ts',
};
// What else is started as a process of its own, and what authors of hooks import: each in one file.
const OTHER_ENTRIES = {
  'spawner-process': 'src/runner/spawner-process.ts',
  'warm-process': 'src/runner/warm-process.ts',
  'output-thread': 'src/operator/outputs/output-thread.ts',
  'recording-thread': 'src/run/recording/recording-thread.ts',
  'filter-child': 'src/filter/filter-child.ts',
  'lock-guard': 'src/cli/lock/lock-guard.ts',
  sdk: 'src/sdk/index.ts',
};
// Folders that are in the package as they are.
const SHIPPED = ['templates', 'schemas'];
// With and without `node:`, as packages write it.
const BUILTIN = new RegExp(`^(?:node:.*|${builtinModules.join('|')})$`);
const root = join(import.meta.dirname, '..');
// Tests build into a folder of their own.
const out = resolve(process.env['HOOKLET_BUILD_FOLDER'] ?? join(root, 'dist'));

if (!process.argv.includes('--if-stale') || isStale()) await bundle();
// What npm publishes has the types too.
const isPacked = ['pack', 'publish'].includes(process.env['npm_command'] ?? '');
if (isPacked || process.argv.includes('--types')) declareTypes();
if (process.argv.includes('--packages')) for (const name of [...PUBLISHED, ...PROGRAMS]) await buildPackage(name);

async function bundle(): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  // Whatever main.ts imports when it needs it comes into a file of its own. The process of a world needs the whole
  // operator, which a start reads from the same files; what the others share would add to those of each start.
  const bundles = await Promise.all([buildEntries(SHARING_ENTRIES, true), buildEntries(OTHER_ENTRIES, false)]);
  writeFileSync(join(out, 'sbom.cdx.json'), bundledSbom(root, bundles));
  chmodSync(join(out, 'main.js'), 0o755);
  // The library for hooks in bash, which $HOOKLET_SHELL_LIB names.
  cpSync(join(root, 'frameworks', 'shell_lib.sh'), join(out, 'shell_lib.sh'));
  cpSync(join(root, 'frameworks', 'shell'), join(out, 'shell'), { recursive: true });
  // What `hooklet init` and `hooklet schema` give.
  for (const name of SHIPPED) cpSync(join(root, name), join(out, name), { recursive: true });
  for (const file of globSync('schemas/*.json', { cwd: out })) withoutSpace(join(out, file));
  // The Deployment of `hooklet manifests`.
  for (const name of ['base', 'components']) {
    cpSync(join(root, 'deploy', name), join(out, 'deploy', name), { recursive: true });
  }
  const license = join(root, 'LICENSE');
  if (existsSync(license)) cpSync(license, join(out, 'LICENSE'));
}

/** Half of a schema is space, and only programs read it. */
function withoutSpace(path: string): void {
  writeFileSync(path, JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))));
}

async function buildEntries(entryPoints: Readonly<Record<string, string>>, splitting: boolean): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { ...entryPoints },
    outdir: out,
    bundle: true,
    splitting,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // Names too: a start takes a tenth less time.
    minify: true,
    legalComments: 'linked',
    metafile: true,
    chunkNames: 'chunks/[name]-[hash]',
    // Bundled CommonJS packages call require: for node's own modules, and for what may be missing.
    banner: {
      js: "const require = (id) => process.getBuiltinModule(id) ?? process.getBuiltinModule('node:module').createRequire(import.meta.url)(id);",
    },
    plugins: [plainBuiltins(), plainRequires(), embeddedAssets()],
    logLevel: 'warning',
  });
  return metafile;
}

/**
 * Takes of node's own modules what is used. An import statement would read every property of theirs, which loads half of
 * node: for `node:http` alone all of fetch.
 */
function plainBuiltins(): Plugin {
  const namespace = 'node';
  return {
    name: 'plain-builtins',
    setup(builder) {
      // Each file has its own, or there were a file in the bundle for every module of node.
      builder.onResolve({ filter: BUILTIN }, ({ path, kind, importer }) =>
        kind === 'import-statement' ? { path, namespace, suffix: `?${importer}` } : undefined,
      );
      builder.onLoad({ filter: /./, namespace }, async ({ path }) => {
        const { default: _, ...exported }: object & { readonly default?: unknown } = await import(path);
        const constants = Object.keys(exported).map(
          (name) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`,
        );
        const builtin = `const builtin = process.getBuiltinModule(${JSON.stringify(path)});`;
        return { contents: [builtin, 'export default builtin;', ...constants].join('\n') };
      });
    },
  };
}

/**
 * Takes the gRPC library into the bundle. The exporter of OpenTelemetry loads it with a `require` of its own making,
 * which the bundler does not see, and which finds nothing where the package is installed.
 */
function plainRequires(): Plugin {
  return {
    name: 'plain-requires',
    setup(builder) {
      builder.onLoad({ filter: /otlp-grpc-exporter-base\/dist\/[^/]*\.mjs$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8').replaceAll('__require("@grpc/grpc-js")', 'require("@grpc/grpc-js")'),
      }));
    },
  };
}

/** Takes the files that browsers load into the bundle, as text and minified, in place of reading them. */
function embeddedAssets(): Plugin {
  return {
    name: 'embedded-assets',
    setup(builder) {
      builder.onLoad({ filter: /server[\\/]page[\\/]asset-files\.ts$/ }, async () => {
        const { assetFiles } = await import('../src/server/page/asset-files.ts');
        const files: Record<string, string> = {};
        for (const [name, text] of Object.entries(assetFiles)) {
          const loader = name.endsWith('.css') ? 'css' : 'js';
          const isOwn = ['page.css', 'page.js'].includes(name);
          files[name] = isOwn ? (await transform(text, { loader, minify: true })).code : text;
        }
        return { contents: `export const assetFiles = ${JSON.stringify(files)};` };
      });
    },
  };
}

function declareTypes(): void {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  execFileSync(tsc, ['-p', join(root, 'tsconfig.types.json')], { stdio: 'inherit' });
  const index = join(out, 'types', 'sdk', 'index.d.ts');
  writeFileSync(join(out, 'types', 'kinds.d.ts'), kindTypes());
  // So that `kubernetes({ kind: 'Pod' })` knows the kinds without an import of them.
  writeFileSync(index, `/// <reference path="../kinds.d.ts" />\n${readFileSync(index, 'utf8')}`);
}

/** Whether any source is newer than the bundle. */
function isStale(): boolean {
  const bundled = join(out, 'main.js');
  if (!existsSync(bundled)) return true;
  const builtAtMs = statSync(bundled).mtimeMs;
  const packages = PUBLISHED.flatMap((name) => [`packages/${name}/src/**`, `packages/${name}/package.json`]);
  const shipped = SHIPPED.map((name) => `${name}/**`);
  const files = globSync(['src/**', 'frameworks/**', 'deploy/**', ...shipped, ...packages], { cwd: root }).map((file) =>
    join(root, file),
  );
  return [...files, join(root, 'package.json'), import.meta.filename].some(
    (file) => statSync(file).mtimeMs > builtAtMs,
  );
}
