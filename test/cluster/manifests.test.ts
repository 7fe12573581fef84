import { execFile } from 'node:child_process';
import { appendFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { baseObjects, type Component } from '../../src/cli/deploy/base.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { adminKubectl } from './admin-kubectl.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kubectl = adminKubectl(sharedControlPlane());
const run = promisify(execFile);
const COMPONENTS: readonly Component[] = [
  'events',
  'http-triggers',
  'jobs',
  'leader-election',
  'schedule-state',
  'webhook-certificates',
  'webhooks',
  'shards',
];

/** What kustomize makes of the base with components, by kind and name. */
async function kustomized(components: readonly Component[]): Promise<ReadonlyMap<string, unknown>> {
  using folder = temporaryFolder();
  cpSync(join(root, 'deploy'), join(folder.path, 'deploy'), { recursive: true });
  const base = join(folder.path, 'deploy', 'base');
  const lines = components.map((name) => `  - ../components/${name}\n`).join('');
  appendFileSync(join(base, 'kustomization.yaml'), lines === '' ? '' : `components:\n${lines}`);
  return byName(parseAllDocuments(await kubectl(['kustomize', base])).map((document): unknown => document.toJS()));
}

function byName(objects: readonly unknown[]): ReadonlyMap<string, unknown> {
  const named = objects.map((object) => {
    const { kind, metadata } = object as { readonly kind: string; readonly metadata: { readonly name: string } };
    return [`${kind}/${metadata.name}`, object] as const;
  });
  return new Map(named.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

describe('hooklet manifests', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    await kubectl(['apply', '-f', join(root, 'deploy', 'base', 'namespace.yaml')]);
  });

  it.each([
    { components: [] },
    ...COMPONENTS.map((one) => ({ components: [one] })),
    { components: COMPONENTS.filter((one) => one !== 'leader-election') },
  ])('has the objects that kustomize makes of deploy/base with $components', async ({ components }) => {
    expect(byName(baseObjects(components))).toEqual(await kustomized(components));
  });

  it.each([
    { example: '101-monitor-pods', flags: [] },
    { example: '130-http-trigger', flags: ['--host', 'hooks.test', '--replicas', '2'] },
    { example: '204-validating-webhook', flags: ['--name', 'judge'] },
    { example: '101-monitor-pods', flags: ['--name', 'many', '--shards', '--replicas', '4'] },
    { example: '210-conversion-webhook', flags: ['--no-events'] },
  ])('of $example are accepted by the API server, field by field, under restricted', async ({ example, flags }) => {
    using folder = temporaryFolder();
    const hooks = join(root, 'examples', example, 'hooks');
    const args = ['manifests', hooks, '--image', 'example.com/hooks:1', ...flags];
    const { stdout } = await run(process.execPath, [join(root, 'src', 'main.ts'), ...args]);
    const file = join(folder.path, 'deploy.yaml');
    appendFileSync(file, stdout);

    const applied = await kubectl(['apply', '--dry-run=server', '--validate=strict', '-f', file]);

    expect(applied).toMatch(/^deployment\.apps\/\w+ created \(server dry run\)$/m);
    expect(applied.match(/\(server dry run\)/g)).toHaveLength(parseAllDocuments(stdout).length);
  });
});
