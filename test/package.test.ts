import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { codeBlocks } from './docs/markdown.ts';
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
  'deploy',
  'scripts',
  'packages',
  'schemas',
  'src',
  'templates',
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
// Where only `npm create hooklet` is installed, and what it needs.
let starter: string;

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
  const [tarball = ''] = readdirSync(folder.path).filter((name) => /^hooklet-.*\.tgz$/.test(name));
  await npm(join(checkout, 'packages', 'create-hooklet', 'dist'), 'pack', '--pack-destination', folder.path);
  const [creating = ''] = readdirSync(folder.path).filter((name) => name.startsWith('create-hooklet'));
  starter = join(folder.path, 'starter');
  mkdirSync(starter);
  for (const [project, ...tarballs] of [
    [home, tarball],
    [starter, tarball, creating],
  ]) {
    writeFileSync(join(project ?? '', 'package.json'), '{"private":true,"type":"module"}');
    const paths = tarballs.map((name) => join(folder.path, name));
    await npm(project ?? '', 'install', '--offline', '--no-audit', '--no-fund', ...paths);
  }
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
  return hookletIn(home, args);
}

async function hookletIn(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const program = join(home, 'node_modules', '.bin', 'hooklet');
  const { stdout } = await run(program, [...args], { cwd, env: { ...environment(), ...env } });
  return stdout;
}

/** What a line of a log has in a field. */
function logged(log: string, field: string): string {
  return new RegExp(`"${field}":"([^"]+)"`).exec(log)?.[1] ?? '';
}

/** What the compiler has to say of the project. */
async function compile(project = home): Promise<string> {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const compiling = run(tsc, ['--pretty', 'false', '-p', project], { env: environment() });
  const { stdout } = await compiling.catch((error: { readonly stdout: string }) => error);
  return stdout;
}

/** The type of what is watched follows from its kind. */
const INFERRED = `import { defineHook, kubernetes } from 'hooklet';
export default defineHook({
  bindings: { pods: kubernetes({ kind: 'Pod' }), sets: kubernetes({ apiVersion: 'apps/v1', kind: 'ReplicaSet' }) },
  run({ snapshots }) {
    const nodes: (string | undefined)[] = snapshots.pods.map(({ spec }) => spec?.nodeName);
    const counts: (number | undefined)[] = snapshots.sets.map(({ status }) => status?.readyReplicas);
    const uid: string | undefined = snapshots.pods[0]?.metadata.uid;
    console.log(nodes, counts, uid, snapshots.pods[0]?.spec?.nodeNames);
  },
});
`;

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

  it('prints manifests for hooks, from files of its own', async () => {
    const text = await hooklet('manifests', 'hooks', '--image', 'example.com/hooks:1', '--replicas', '2');

    expect(text).toContain('image: example.com/hooks:1');
    expect(text).toContain('HOOKLET_LEADER_ELECT');
    expect(text).toContain('# hook maps.ts: binding "maps" follows ConfigMap');
  });

  it('explains crontabs', async () => {
    expect(await hooklet('schedule', 'explain', '0 3 * * *')).toContain('03:00');
  });

  it('says what is bundled, and nothing else', () => {
    const lock: { readonly packages: Readonly<Record<string, { readonly version?: string }>> } = JSON.parse(
      readFileSync(join(root, 'package-lock.json'), 'utf8'),
    );
    const sbom: { readonly components: readonly { readonly purl: string }[] } = JSON.parse(
      readFileSync(join(home, 'node_modules', 'hooklet', 'dist', 'sbom.cdx.json'), 'utf8'),
    );
    const locked = Object.entries(lock.packages).flatMap(([path, { version = '' }]) => {
      const name = /.*node_modules\/(.*)$/.exec(path)?.[1];
      return name === undefined ? [] : `pkg:npm/${name.replace('@', '%40')}@${version}`;
    });

    expect(sbom.components.length).toBeGreaterThan(20);
    expect(sbom.components.map(({ purl }) => purl).filter((purl) => !locked.includes(purl))).toEqual([]);
    // Each has a door in the sources, or is needed by one that has.
    for (const name of ['commander', 'yaml', '%40grpc/grpc-js']) {
      expect(sbom.components.some(({ purl }) => purl.startsWith(`pkg:npm/${name}@`))).toBe(true);
    }
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

  it('makes projects as npm create hooklet, whose TypeScript compiles, with the types of built-in kinds', async () => {
    const create = join(starter, 'node_modules', '.bin', 'create-hooklet');
    const projects = ['typescript', 'operator', 'webhook'];
    for (const name of projects) {
      await run(create, [name, '--template', name], { cwd: starter, env: environment() });
    }
    for (const name of projects) {
      const [scenario = ''] = readdirSync(join(starter, name, 'scenarios'));
      const text = readFileSync(join(starter, name, 'scenarios', scenario), 'utf8');
      const [, schema = ''] = /^# yaml-language-server: \$schema=\.\.\/node_modules\/(\S+)\n/.exec(text) ?? [];
      // npm would install hooklet into the project; here it is beside it.
      expect(JSON.parse(readFileSync(join(starter, 'node_modules', schema), 'utf8'))).toMatchObject({
        title: 'A story for hooklet test',
      });
    }
    const again = run(create, ['typescript'], { cwd: starter, env: environment() });
    await expect(again).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('nothing was written') });
    const compilerOptions = {
      ...JSON.parse(readFileSync(join(starter, 'webhook', 'tsconfig.json'), 'utf8')).compilerOptions,
      typeRoots: [join(root, 'node_modules', '@types')],
      skipLibCheck: false,
    };
    const include = projects.map((name) => `${name}/hooks`);
    writeFileSync(join(starter, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));

    expect(await compile(starter)).toBe('');
    writeFileSync(
      join(starter, 'webhook', 'hooks', 'wrong.ts'),
      "import type { KubernetesKinds, V1Pod } from 'hooklet/kinds';\nexport const pod: V1Pod = { spec: { containers: [{}] } };\nexport const name = (seen: KubernetesKinds['Pod']): string => seen.metadata.name;\n",
    );
    writeFileSync(join(starter, 'webhook', 'hooks', 'kinds.ts'), INFERRED);
    const said = await compile(starter);
    expect(said).toMatch(/webhook\/hooks\/wrong\.ts\(2,\d+\): error TS2741: Property 'name' is missing/);
    expect(said).toMatch(/webhook\/hooks\/kinds\.ts\(8,\d+\): error TS2551: Property 'nodeNames' does not exist/);
    expect(said.match(/ error TS/g)).toHaveLength(2);
  });

  it('has worlds for tests: the examples of docs/testing-api.md pass with node:test and with vitest', async () => {
    const text = readFileSync(join(root, 'docs', 'testing-api.md'), 'utf8');
    const [hook = ''] = codeBlocks(text, 'sh');
    mkdirSync(join(home, 'worlds', 'hooks'), { recursive: true });
    writeFileSync(join(home, 'worlds', 'hooks', 'nightly.sh'), hook, { mode: 0o755 });
    writeFileSync(join(home, 'worlds', 'nightly.test.mjs'), codeBlocks(text, 'js')[0] ?? '');
    const { stdout } = await run(process.execPath, ['--test', 'nightly.test.mjs'], {
      cwd: join(home, 'worlds'),
      env: environment(),
    });
    // Its own types need those of many packages, which are not installed here.
    const vitest = `declare module 'vitest' {
  export interface Matchers<R extends void | Promise<void> = void, T = unknown> { toEqual(expected: unknown): void; readonly not: Matchers<R, T> }
  export const expect: { <T>(of: T): Matchers<void, T>; extend(matchers: object): void };
  export const it: (title: string, test: () => Promise<void>) => void;
}
`;
    writeFileSync(join(home, 'worlds', 'vitest.d.ts'), vitest);
    writeFileSync(join(home, 'worlds', 'nightly.test.ts'), codeBlocks(text, 'ts')[0] ?? '');
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024', 'esnext.disposable', 'dom'],
      types: [],
      skipLibCheck: false,
    };
    writeFileSync(join(home, 'worlds', 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));

    expect(stdout).toMatch(/pass 2\b/);
    expect(await compile(join(home, 'worlds'))).toBe('');
    mkdirSync(join(home, 'worlds', 'node_modules'));
    symlinkSync(join(root, 'node_modules', 'vitest'), join(home, 'worlds', 'node_modules', 'vitest'));
    const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    // Nothing of the vitest that runs this test.
    const own = Object.entries(environment()).filter(([name]) => !name.startsWith('VITEST') && name !== 'TEST');
    const args = [program, 'run', '--no-color', '--reporter=verbose', 'nightly.test.ts'];
    const { stdout: said } = await run(process.execPath, args, {
      cwd: join(home, 'worlds'),
      env: Object.fromEntries(own),
    });
    expect(said).toMatch(/✓ nightly\.test\.ts.* the backup is made at night/);
    expect(said).toMatch(/Tests +1 passed/);
  });

  it('leads an author from an empty folder to a run that is played again', { timeout: 240_000 }, async () => {
    const project = join(folder.path, 'loop');
    await hooklet('init', project);
    await hookletIn(project, ['new', 'hook', 'start', '--on', 'startup']);
    expect(await hookletIn(project, ['check', 'hooks'])).toContain('2 hook(s), no problems');
    expect(await hookletIn(project, ['test', '--no-perturb'])).toMatch(/2 stories: 2 passed/);
    expect(await hookletIn(project, ['test', '--all', 'scenarios/start.yaml'])).toMatch(/1 passed, \d+ perturbation/);
    await hookletIn(project, ['manifests', 'hooks', '--image', 'a:1', '--name', 'loop', '--namespace', 'loop']).then(
      (text) => writeFileSync(join(project, 'deploy.yaml'), text),
    );
    const account = ['--service-account', 'loop/loop'];
    expect(await hookletIn(project, ['rbac', 'hooks', ...account])).toContain('kind: Role');
    expect(await hookletIn(project, ['rbac', 'hooks', ...account, '--diff', 'deploy.yaml'])).not.toMatch(/^missing:/m);

    const main = join(home, 'node_modules', 'hooklet', 'dist', 'main.js');
    const dev = startProgram(['dev', '--record', '--log-format', 'json'], { cwd: project, main });
    await dev.says(/hook finished[^]*hook finished/);
    const kubeconfig = logged(dev.stdout(), 'kubeconfig');
    const there = ['--tmp-dir', join(dirname(kubeconfig), 'tmp')];
    const page = await fetch(`${logged(dev.stdout(), 'page')}/runs`);
    const text = await page.text();
    const style = await fetch(new URL(/href="([^"]+\.css)"/.exec(text)?.[1] ?? 'none', page.url));
    expect([page.status, style.status, text.includes('services.sh')]).toEqual([200, 200, true]);
    expect(await hookletIn(project, ['diff', 'hooks'], { KUBECONFIG: kubeconfig })).toContain('0 would be created');
    const runs: readonly { readonly id: string; readonly hook: string }[] = JSON.parse(
      await hookletIn(project, ['runs', 'list', ...there, '-o', 'json']),
    );
    const id = runs.find((one) => one.hook === 'services.sh')?.id ?? '';
    writeFileSync(join(project, 'run.json'), await hookletIn(project, ['runs', 'export', id, ...there]));
    dev.signal('SIGINT');

    expect(await dev.ended).toBe(0);
    expect(await hookletIn(project, ['replay', 'run.json', '--hooks', 'hooks'])).toContain('The run is the same.');
  });

  it('gives the JSON Schema of configs, and types of custom resources', async () => {
    for (const [what, title] of [
      ['hook', 'Config of a hook'],
      ['scenario', 'A story for hooklet test'],
    ]) {
      expect(JSON.parse(await hooklet('schema', what ?? ''))).toMatchObject({ title });
    }
    const crd = join(root, 'templates', 'operator', 'hooks', 'manifests', 'crd.yaml');
    const types = readFileSync(join(root, 'templates', 'operator', 'hooks', 'lib', 'kinds.ts'), 'utf8');

    expect(await hooklet('types', crd)).toBe(types);
  });
});
