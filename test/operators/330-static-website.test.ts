import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { openWorld } from '../../src/testing/index.ts';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { ROUTES } from './gateway-routes.ts';
import { fieldSweep, withoutEffect } from './kit/field-sweep.ts';
import { leavesOf } from './kit/schema-leaves.ts';
import { quietDay } from './kit/quiet-day.ts';
import { rights } from './kit/rights.ts';
import { twoVersions } from './kit/two-versions.ts';

const folder = join(examplesDir, '330-static-website');
const hooks = join(folder, 'hooks');
const definition = join(folder, 'manifests', 'crd.yaml');
const programs = join(folder, 'scenarios', 'programs');
const TRY = readManifests(join(folder, 'manifests', 'try', 'web-site.yaml'));
const NEXT = '1f6876ae4bd31bd2c1aa3871f3e5c1415267e6a0dacc6965de7fcbc8742a690a';
const SUM = '97ff4063ddcd116165b80f7345cb32db6c10ae51cf92423059fcc360d7b49424';

function site(spec: JsonObject): JsonObject {
  return {
    apiVersion: 'web.example.hooklet.dev/v1',
    kind: 'WebSite',
    metadata: { name: 'docs', namespace: 'default' },
    spec,
  };
}

function content(name: string): JsonObject {
  const labels = { 'web.example.hooklet.dev/site': 'docs' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data: { 'index.html': `the ${name}` } };
}

/** The hooks in another folder, without the webhook, whose certificates are looked after every ten seconds of the day. */
function withoutWebhook(to: string): string {
  cpSync(hooks, to, { recursive: true });
  const file = join(to, 'lib', 'config.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^kubernetesValidating:[^]*/m, ''));
  return to;
}

const URL = 'http://files.example.com/site.tar.gz';
describe('330-static-website', () => {
  it(
    'each of 7 fields has its effect when it is set, changed and removed, or is refused',
    { timeout: 600_000 },
    async () => {
      const objects = [ROUTES, content('first'), content('second')];
      const route = { host: 'docs.example.com' };
      const swept = await fieldSweep({
        world: { hooks, programs, objects },
        definition,
        base: site({ configMap: 'first' }),
        bases: {
          'spec.archive': site({ archive: { url: URL, sha256: SUM } }),
          'spec.route': site({ configMap: 'first', route }),
        },
        values: {
          'spec.configMap': ['first', 'second'],
          // What is kept is not fetched again, so only a server without the archive shows that it is asked.
          'spec.archive.url': [URL, 'ftp://files.example.com/site.tar.gz'],
          'spec.archive.sha256': [SUM, NEXT],
          'spec.route.host': ['docs.example.com', 'www.example.com'],
          'spec.route.ingressClass': ['internal', 'external'],
          'spec.route.gateway': ['web', 'other'],
        },
      });

      expect(withoutEffect(swept)).toEqual([]);
      expect(new Set(swept.map(({ path }) => path)).size).toBe(7);
    },
  );

  it('prometheus-operator#2950: writes nothing in a day in which nothing happens', { timeout: 300_000 }, async () => {
    using copy = temporaryFolder();
    await using world = await openWorld({
      limitMs: 120_000,
      hooks: withoutWebhook(join(copy.path, 'hooks')),
      programs,
      crds: definition,
      objects: TRY,
    });

    expect(await quietDay(world)).toEqual([]);
    expect(await world.get(site({}))).toMatchObject({ status: { conditions: [{ type: 'Ready', status: 'True' }] } });
  });

  it('is upgraded without a write, and without a new Pod of a site', { timeout: 600_000 }, async () => {
    expect(await twoVersions({ hooks, world: { programs, crds: definition, objects: TRY } })).toEqual([]);
  });

  it('has exactly the rights that it uses', { timeout: 600_000 }, async () => {
    const manifests = ['crd.yaml', 'deploy.yaml'].flatMap((name) => readManifests(join(folder, 'manifests', name)));

    expect(await rights({ hooks, manifests, scenarios: [join(folder, 'scenarios')] })).toEqual([]);
  });

  it('has a row in its README for each of 7 fields', () => {
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    const [described = {}] = readManifests(definition);
    const paths = leavesOf(described).map(({ path }) => path);

    expect(paths.filter((path) => !readme.includes(`| \`${path}\` |`))).toEqual([]);
    expect(paths).toHaveLength(7);
  });
});
