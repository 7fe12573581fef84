import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject } from '@hooklet/sandbox';
import { objectAt, objectsAt, textAt } from '@hooklet/sandbox/testing';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { PROGRAMS, PUBLISHED } from '../../scripts/published-packages.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
const { version } = packageJson;
const DIGEST = `sha256:${'a'.repeat(64)}`;
/** Says where it is and what it is asked; `helm push` says a digest, as Helm does. */
const STAND_IN = `#!/bin/sh
echo "$(basename "$PWD"): $(basename "$0") $*" >> "$CALLS"
[ "$(basename "$0") $1" != "$FAILS" ] || exit 1
case "$(basename "$0") $1" in "helm push") echo "Digest: ${DIGEST}" >&2;; esac
`;

let folder: ReturnType<typeof temporaryFolder>;
let checkout: string;

/** What the steps read of a checkout, with stand-ins for what publishes. */
beforeAll(() => {
  folder = temporaryFolder();
  checkout = join(folder.path, 'checkout');
  for (const path of ['package.json', 'deploy/chart', 'scripts']) {
    cpSync(join(root, path), join(checkout, path), { recursive: true });
  }
  for (const name of [...PUBLISHED, ...PROGRAMS]) {
    const manifest = join('packages', name, 'package.json');
    mkdirSync(join(checkout, 'packages', name, 'dist'), { recursive: true });
    cpSync(join(root, manifest), join(checkout, manifest));
  }
  writeFileSync(join(checkout, 'CHANGELOG.md'), `## [Unreleased]\n\n## [${version}]\n\n- One.\n`);
  mkdirSync(join(folder.path, 'bin'));
  for (const name of ['npm', 'helm', 'cosign', 'gh']) {
    writeFileSync(join(folder.path, 'bin', name), STAND_IN, { mode: 0o755 });
  }
});
afterAll(() => folder[Symbol.dispose]());

interface Ran {
  /** The commands of the stand-ins, each with the folder it was called in. */
  readonly calls: readonly string[];
  /** What steps said to later ones. */
  readonly output: string;
}

/** Runs the steps of a job that are scripts, as GitHub does; `env` has what an expression would give. */
async function jobRuns(name: string, env: Readonly<Record<string, string>> = {}, fails = ''): Promise<Ran> {
  const workflow: unknown = parse(readFileSync(join(root, '.github', 'workflows', 'release.yml'), 'utf8'));
  if (!isJsonObject(workflow)) throw new Error('no workflow');
  expect(textAt(workflow, 'defaults', 'run', 'shell')).toBe('bash');
  const files = { CALLS: join(folder.path, `${name}.calls`), GITHUB_OUTPUT: join(folder.path, `${name}.output`) };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const scripts = objectsAt(objectAt(workflow, 'jobs', name), 'steps').filter((step) => step['run'] !== undefined);
  for (const step of scripts) {
    const given = Object.keys(step['env'] ?? {}).filter((key) => env[key] === undefined && key !== 'GH_TOKEN');
    expect({ step: step['run'], given }).toEqual({ step: step['run'], given: [] });
    await run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', textAt(step, 'run')], {
      cwd: checkout,
      env: {
        ...files,
        ...env,
        FAILS: fails,
        PATH: [join(folder.path, 'bin'), dirname(process.execPath), process.env['PATH']].join(':'),
        GITHUB_REF_NAME: `v${version}`,
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_REPOSITORY: 'Some/Hooklet',
        GITHUB_REPOSITORY_OWNER: 'Some',
      },
    });
  }
  const calls = readFileSync(files.CALLS, 'utf8').trim().split('\n');
  return { calls, output: readFileSync(files.GITHUB_OUTPUT, 'utf8') };
}

describe('the commands of a release', () => {
  it('give the version on, once all files name it', async () => {
    expect((await jobRuns('version')).output).toBe(`version=${version}\n`);
  });

  it('publish hooklet and each package that users install, with where it comes from', async () => {
    const { calls } = await jobRuns('npm', { TAG: 'latest' });
    const published = calls.filter((call) => call.includes('npm publish'));

    expect(calls.slice(0, 3)).toEqual(['checkout: npm ci', 'checkout: npm run check', 'checkout: npm run build']);
    expect(published).toEqual([
      'checkout: npm publish --provenance --access public --tag latest',
      ...[...PUBLISHED, ...PROGRAMS].map(() => 'dist: npm publish --provenance --access public --tag latest'),
    ]);
    expect(calls.filter((call) => call.includes('pkg set'))).toHaveLength(published.length);
    expect(calls).toContain('dist: npm pkg set repository.url=git+https://github.com/Some/Hooklet.git');
  });

  it('stop at the first package that is not published', async () => {
    await expect(jobRuns('npm', { TAG: 'latest' }, 'npm publish')).rejects.toMatchObject({ code: 1 });
    const calls = readFileSync(join(folder.path, 'npm.calls'), 'utf8');

    expect(calls.match(/npm publish/g)).toHaveLength(1);
  });

  it('name an image, and sign it by its digest', async () => {
    const image = 'ghcr.io/some/hooklet';
    const { calls, output } = await jobRuns('image', { SUFFIX: '-slim', IMAGE: image, DIGEST });

    expect(output).toContain(`image=${image}\ntags=${image}:${version}-slim,`);
    expect(calls).toEqual([`checkout: cosign sign --yes ${image}@${DIGEST}`]);
  });

  it('package the chart with the image of this release, and sign what was pushed', async () => {
    const { calls } = await jobRuns('chart', { VERSION: version });

    expect(readFileSync(join(checkout, 'deploy', 'chart', 'values.yaml'), 'utf8')).toMatch(
      /^image:\n(?: {2}#.*\n)* {2}repository: ghcr\.io\/some\/hooklet$/m,
    );
    expect(calls).toEqual([
      'checkout: helm lint --strict deploy/chart',
      `checkout: helm package deploy/chart --version ${version} --app-version ${version}`,
      `checkout: helm push hooklet-${version}.tgz oci://ghcr.io/some/charts`,
      `checkout: cosign sign --yes ghcr.io/some/charts/hooklet@${DIGEST}`,
    ]);
  });

  it('sign no chart that was not pushed', async () => {
    await expect(jobRuns('chart', { VERSION: version }, 'helm push')).rejects.toMatchObject({ code: 1 });

    expect(readFileSync(join(folder.path, 'chart.calls'), 'utf8')).not.toContain('cosign');
  });

  it('write the notes of this version, with what is in the package', async () => {
    const { calls } = await jobRuns('notes');

    expect(readFileSync(join(checkout, 'notes.md'), 'utf8')).toBe('- One.\n');
    expect(calls.at(-1)).toBe(
      `checkout: gh release create v${version} --verify-tag --notes-file notes.md dist/sbom.cdx.json`,
    );
  });
});
