import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { temporaryFolder } from './support/hook-rig.ts';
import { startProgram } from './support/program.ts';
import { grpcCollector } from './support/trace-collector.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
// What a checkout has, so far as the package is made of it.
const SOURCES = [
  'package.json',
  'tsconfig.json',
  'tsconfig.types.json',
  'LICENSE',
  'README.md',
  'frameworks',
  'scripts',
  'packages',
  'src',
];
const HOOK = `import { defineHook, kubernetes } from 'hooklet';

export default defineHook({
  bindings: { maps: kubernetes<{ name: string }>({ kind: 'ConfigMap', jqFilter: '.metadata' }) },
  run({ snapshots, log }) {
    log.info('maps: ' + snapshots.maps.length);
  },
});
`;

const SHELL_HOOK = `#!/usr/bin/env bash
source "$HOOKLET_SHELL_LIB"

function __config__() {
  echo '{"configVersion": "v1", "onStartup": 1}'
}

function __on_startup() {
  echo "in bash: $(context::get binding)"
}

hook::run "$@"
`;

let folder: ReturnType<typeof temporaryFolder>;
let home: string;

/** Packs a checkout and installs the package in an empty folder, without a network. */
beforeAll(async () => {
  folder = temporaryFolder();
  const checkout = join(folder.path, 'checkout');
  home = join(folder.path, 'home');
  mkdirSync(join(home, 'hooks'), { recursive: true });
  for (const name of SOURCES) cpSync(join(root, name), join(checkout, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  await npm(checkout, 'run', 'build');
  await npm(checkout, 'pack', '--pack-destination', folder.path);
  const [tarball = ''] = readdirSync(folder.path).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(home, 'package.json'), '{"private":true,"type":"module"}');
  await npm(home, 'install', '--offline', '--no-audit', '--no-fund', join(folder.path, tarball));
  writeFileSync(join(home, 'hooks', 'maps.ts'), HOOK);
  mkdirSync(join(home, 'shell-hooks'));
  writeFileSync(join(home, 'shell-hooks', 'start.sh'), SHELL_HOOK, { mode: 0o755 });
}, 300_000);

afterAll(() => folder[Symbol.dispose]());

async function npm(cwd: string, ...args: readonly string[]): Promise<void> {
  await run('npm', [...args], { cwd, env: environment() });
}

function environment(): NodeJS.ProcessEnv {
  const { npm_config_cache: _, ...env } = process.env;
  return { ...env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };
}

/** Runs the installed program. */
async function hooklet(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(join(home, 'node_modules', '.bin', 'hooklet'), [...args], {
    cwd: home,
    env: environment(),
  });
  return stdout;
}

/** What the compiler has to say of the project. */
async function compile(): Promise<string> {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const compiling = run(tsc, ['-p', home], { env: environment() });
  const { stdout } = await compiling.catch((error: { readonly stdout: string }) => error);
  return stdout;
}

describe('the package', () => {
  it('brings no other packages along, and no sources', () => {
    const installed = readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.'));
    const files = readdirSync(join(home, 'node_modules', 'hooklet'));

    expect(installed).toEqual(['hooklet']);
    expect(files.toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  });

  it('runs as hooklet', async () => {
    expect(await hooklet('version')).toBe(`hooklet ${packageJson.version}\n`);
    expect(await hooklet('jq', '-n', '1 + 1')).toBe('2\n');
  });

  it('checks a TypeScript hook that imports it', async () => {
    expect(await hooklet('check', 'hooks')).toBe(
      'maps.ts (warm)\n  kubernetes maps: ConfigMap, all namespaces, Added Modified Deleted, jqFilter .metadata\n1 hook(s), no problems\n',
    );
  });

  it('has the library for hooks in bash, which $HOOKLET_SHELL_LIB names', async () => {
    const event = ['--event', 'onStartup'];

    expect(await hooklet('check', 'shell-hooks')).toContain('onStartup 1');
    expect(await hooklet('run', 'shell-hooks/start.sh', ...event)).toContain('in bash: onStartup');
  });

  it('runs that hook in dev, and shows its metrics with those of its process', async () => {
    const main = join(home, 'node_modules', 'hooklet', 'dist', 'main.js');
    const program = startProgram(['dev', 'hooks', '--log-format', 'json'], { cwd: home, main });
    await program.says(/maps: \d+[^]*hook finished/);
    const [, url = ''] = /"url":"([^"]+)","msg":"serving/.exec(program.stdout()) ?? [];
    const metrics = await (await fetch(`${url}/metrics`)).text();

    expect(metrics).toMatch(/^hooklet_hook_run_success_total\{hook="maps.ts",.*\} 1$/m);
    expect(metrics).toMatch(/^process_cpu_seconds_total \d+(?:\.\d+)?$/m);

    program.signal('SIGINT');

    expect(await program.ended).toBe(0);
  });

  it('sends traces of runs over gRPC', async () => {
    const collector = await grpcCollector();
    const main = join(home, 'node_modules', 'hooklet', 'dist', 'main.js');
    const env = { TRACING_OTLP_ENDPOINT: collector.address };
    const program = startProgram(['dev', 'hooks', '--log-format', 'json'], { cwd: home, main, env });
    await program.says('hook finished');
    program.signal('SIGINT');

    expect(await program.ended).toBe(0);
    expect(collector.requests).toHaveLength(1);
    expect(collector.requests[0]?.body.toString('latin1')).toContain('maps.ts');
  });

  it('has types with which that hook compiles, and a wrong one does not', async () => {
    const options = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2024',
      types: [],
      skipLibCheck: false,
    };
    writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['hooks'] }));
    expect(await compile()).toBe('');
    writeFileSync(join(home, 'hooks', 'wrong.ts'), HOOK.replace('snapshots.maps', 'snapshots.pods'));

    expect(await compile()).toMatch(/hooks\/wrong\.ts.*Property 'pods' does not exist/s);
  });
});
