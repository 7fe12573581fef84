import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '@hooklet/sandbox';
import { objectsAt } from '@hooklet/sandbox/testing';
import { openWorld } from '../../src/testing/index.ts';
import type { TestWorld } from '../../src/testing/public.ts';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { playControllers } from './kit/play-controllers.ts';

const folder = join(examplesDir, '330-static-website');
const definition = join(folder, 'manifests', 'crd.yaml');
const [CONTENT = {}, SITE = {}] = readManifests(join(folder, 'manifests', 'try', 'web-site.yaml'));
const SUM = '97ff4063ddcd116165b80f7345cb32db6c10ae51cf92423059fcc360d7b49424';
const URL = 'https://files.example.com/site.tar.gz';
const PATTERN = ", pattern: '^[0-9a-f]{64}$'";

function scratch(): string {
  const made = temporaryFolder();
  onTestFinished(() => made[Symbol.dispose]());
  return made.path;
}

interface Opened {
  readonly crds?: string;
  readonly programs?: string;
}

async function open(objects: readonly JsonObject[], { crds = definition, programs }: Opened = {}): Promise<TestWorld> {
  return openWorld({
    limitMs: 120_000,
    hooks: join(folder, 'hooks'),
    programs: programs ?? join(folder, 'scenarios', 'programs'),
    crds,
    objects,
  });
}

async function readyOf(world: TestWorld, site = SITE): Promise<JsonObject> {
  const [ready = {}] = objectsAt(await world.get(site), 'status', 'conditions');
  return ready;
}

it('what others write into the status of a site is never run', { timeout: 300_000 }, async () => {
  const made = scratch();
  const crds = join(made, 'crd.yaml');
  // As an API server that takes any text there.
  writeFileSync(crds, readFileSync(definition, 'utf8').replace(PATTERN, ''));
  // The site called odd is answered with something else, so each run counts how often it looked.
  const site = { ...SITE, metadata: { name: 'odd' }, spec: { configMap: 'odd' } };
  const labels = { 'web.example.hooklet.dev/site': 'odd' };
  await using world = await open([{ ...CONTENT, metadata: { name: 'odd', labels } }, site], { crds });
  await playControllers(world);
  const mark = join(made, 'mark');
  for (const begin of ['x\nBASH_VERSINFO[', "';", 'x\0\n', '']) {
    await world.patch({ ...site, status: { content: `${begin}$(touch ${mark})0]` } }, 'status');
    await world.trigger('web-site.sh/web-sites');

    expect(existsSync(mark), begin).toBe(false);
    expect(await readyOf(world, site)).toMatchObject({ reason: 'NotServed' });
  }
});

it('the API server keeps nothing but a hash in status.content', async () => {
  await using world = await open([CONTENT, SITE]);
  for (const content of ['x', `${SUM}\n`, `x\n${SUM}`])
    await expect(world.patch({ ...SITE, status: { content } }, 'status')).rejects.toThrow('status.content');
  await world.patch({ ...SITE, status: { content: SUM } }, 'status');
});

it.each([
  ['url', { url: `${URL}\n`, sha256: SUM }],
  ['sha256', { url: URL, sha256: `${SUM}\n` }],
])('a newline behind %s is refused where nobody asked before, and Ready says so', async (_, archive) => {
  await using world = await open([{ ...SITE, spec: { archive } }]);

  expect(await readyOf(world)).toMatchObject({ status: 'False', reason: 'SpecRefused' });
  expect((await world.list()).map(({ kind }) => kind)).not.toContain('Deployment');
});

it('an archive that is not judged in time is told, and tried again', async () => {
  const programs = scratch();
  const file = join(programs, 'timeout');
  writeFileSync(file, '#!/bin/sh\n[ "$1" = 45 ] && exit 124\n', { mode: 0o755 });
  await using world = await open([{ ...SITE, spec: { archive: { url: URL, sha256: SUM } } }], { programs });

  expect(await readyOf(world)).toMatchObject({
    reason: 'ContentRefused',
    message: `${URL} is not read and judged within 45 s. What was served before stays.`,
  });
  const before = world.runs().length;
  await world.tick('5m');
  expect(world.runs().length).toBeGreaterThan(before);
});

it('a run that hangs is ended', async () => {
  const { stdout } = await promisify(execFile)('bash', [join(folder, 'hooks', 'web-site.sh'), '--config'], {
    env: { ...process.env, HOOKLET_SHELL_LIB: join(folder, '..', '..', 'frameworks', 'shell_lib.sh') },
  });

  expect(parse(stdout)).toMatchObject({ settings: { timeout: '2m' } });
});
