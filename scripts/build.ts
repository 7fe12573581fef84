import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

// Programs that are started as processes of their own, and what authors import.
const ENTRIES = {
  main: 'src/main.ts',
  'spawner-process': 'src/runner/spawner-process.ts',
  'warm-process': 'src/runner/warm-process.ts',
  sdk: 'src/sdk/index.ts',
};
// Parts of packages that nothing here calls: loading them takes a tenth of the time to the first run.
const UNUSED: readonly RegExp[] = [
  /prom-client\/lib\/(?:pushgateway|cluster|summary)\.js$/,
  /node_modules\/@opentelemetry\/api\//,
];
const root = join(import.meta.dirname, '..');
const out = join(root, 'dist');

if (!process.argv.includes('--if-stale') || isStale()) await bundle();
// What npm publishes has the types too.
const isPacked = ['pack', 'publish'].includes(process.env['npm_command'] ?? '');
if (isPacked || process.argv.includes('--types')) declareTypes();

async function bundle(): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: true,
    legalComments: 'linked',
    chunkNames: 'chunks/[name]-[hash]',
    // Bundled CommonJS packages call require for node's own modules.
    banner: { js: "const require = process.getBuiltinModule?.('node:module').createRequire(import.meta.url);" },
    plugins: [plainBuiltins(), withoutUnused()],
    logLevel: 'warning',
  });
  chmodSync(join(out, 'main.js'), 0o755);
  const license = join(root, 'LICENSE');
  if (existsSync(license)) cpSync(license, join(out, 'LICENSE'));
}

/**
 * Takes node's own modules as they are. An import statement reads every property of theirs, which loads half of node:
 * of `node:http` alone all of fetch.
 */
function plainBuiltins(): Plugin {
  const namespace = 'node';
  return {
    name: 'plain-builtins',
    setup(builder) {
      builder.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
        kind === 'import-statement' ? { path, namespace } : undefined,
      );
      builder.onLoad({ filter: /./, namespace }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      }));
    },
  };
}

function withoutUnused(): Plugin {
  return {
    name: 'without-unused',
    setup(builder) {
      builder.onLoad({ filter: /node_modules/ }, ({ path }) =>
        UNUSED.some((part) => part.test(path)) ? { contents: 'module.exports = {};' } : undefined,
      );
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
  const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true });
  const files = sources.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return [...files, join(root, 'package.json'), import.meta.filename].some(
    (file) => statSync(file).mtimeMs > builtAtMs,
  );
}
