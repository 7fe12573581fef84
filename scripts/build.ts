import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, readFileSync, rmSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { buildPackage, PUBLISHED } from './build-packages.ts';

// What else is started as a process of its own, and what authors import: each in one file.
const OTHER_ENTRIES = {
  'spawner-process': 'src/runner/spawner-process.ts',
  'warm-process': 'src/runner/warm-process.ts',
  'output-thread': 'src/operator/outputs/output-thread.ts',
  'filter-child': 'src/filter/filter-child.ts',
  sdk: 'src/sdk/index.ts',
};
// With and without `node:`, as packages write it.
const BUILTIN = new RegExp(`^(?:node:.*|${builtinModules.join('|')})$`);
const root = join(import.meta.dirname, '..');
const out = join(root, 'dist');

if (!process.argv.includes('--if-stale') || isStale()) await bundle();
// What npm publishes has the types too.
const isPacked = ['pack', 'publish'].includes(process.env['npm_command'] ?? '');
if (isPacked || process.argv.includes('--types')) declareTypes();
if (process.argv.includes('--packages')) for (const name of PUBLISHED) await buildPackage(name);

async function bundle(): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  // Whatever main.ts imports when it needs it comes into a file of its own; files shared with others would add to those
  // that are read at each start.
  await Promise.all([buildEntries({ main: 'src/main.ts' }, true), buildEntries(OTHER_ENTRIES, false)]);
  chmodSync(join(out, 'main.js'), 0o755);
  // The library for hooks in bash, which $HOOKLET_SHELL_LIB names.
  cpSync(join(root, 'frameworks', 'shell_lib.sh'), join(out, 'shell_lib.sh'));
  cpSync(join(root, 'frameworks', 'shell'), join(out, 'shell'), { recursive: true });
  const license = join(root, 'LICENSE');
  if (existsSync(license)) cpSync(license, join(out, 'LICENSE'));
}

async function buildEntries(entryPoints: Readonly<Record<string, string>>, splitting: boolean): Promise<void> {
  await build({
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
    chunkNames: 'chunks/[name]-[hash]',
    // Bundled CommonJS packages call require: for node's own modules, and for what may be missing.
    banner: {
      js: "const require = (id) => process.getBuiltinModule(id) ?? process.getBuiltinModule('node:module').createRequire(import.meta.url)(id);",
    },
    plugins: [plainBuiltins(), plainRequires()],
    logLevel: 'warning',
  });
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

function declareTypes(): void {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  execFileSync(tsc, ['-p', join(root, 'tsconfig.types.json')], { stdio: 'inherit' });
}

/** Whether any source is newer than the bundle. */
function isStale(): boolean {
  const bundled = join(out, 'main.js');
  if (!existsSync(bundled)) return true;
  const builtAtMs = statSync(bundled).mtimeMs;
  const packages = PUBLISHED.flatMap((name) => [`packages/${name}/src/**`, `packages/${name}/package.json`]);
  const files = globSync(['src/**', 'frameworks/**', ...packages], { cwd: root }).map((file) => join(root, file));
  return [...files, join(root, 'package.json'), import.meta.filename].some(
    (file) => statSync(file).mtimeMs > builtAtMs,
  );
}
