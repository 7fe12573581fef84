import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chaosFigures } from '../../operators/kit/chaos.ts';
import { examplesDir, readManifests } from '../../support/example-rig.ts';
import { forbiddenRequests, serviceAccountUser } from '../audit.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { eventually } from '../solutions/eventually.ts';
import { websiteChaos } from './static-website-chaos.ts';
import { OPERATOR, startWebsites, type WebsiteRig } from './static-website-rig.ts';

const plane = sharedControlPlane();
const LIMIT = { timeout: 600_000 };
const site = (name: string, spec: object): object => ({
  apiVersion: 'web.example.hooklet.dev/v1',
  kind: 'WebSite',
  metadata: { name },
  spec,
});

/** Waits until the condition Ready of the site has this reason, and resolves to its message. */
async function isTold(rig: WebsiteRig, name: string, reason: string): Promise<string> {
  return eventually(async () => {
    const { metadata, status } = await rig.site(name);
    expect(status?.observedGeneration).toBe(metadata.generation);
    const [ready] = status?.conditions ?? [];
    expect(ready?.reason, ready?.message).toBe(reason);
    return ready?.message ?? '';
  }, 120_000);
}

it('serves real sites under restricted, keeps them when an archive breaks or the operator stops', LIMIT, async () => {
  await using rig = await startWebsites(plane);
  expect(rig.applied.split('\n').filter((line) => line !== '' && !/created|unchanged/.test(line))).toEqual([]);

  // A ConfigMap.
  await rig.apply(...readManifests(join(examplesDir, '330-static-website', 'manifests', 'try', 'web-site.yaml')));
  await isTold(rig, 'docs', 'Served');
  expect(await rig.page('docs')).toBe('<h1>Hello</h1>');

  // An archive, and what is wrong with one.
  const first = await rig.pack('first.tar.gz', 'the first page');
  await rig.apply(site('shop', { archive: first }));
  await isTold(rig, 'shop', 'Served');
  const [pod] = await rig.pods('app.kubernetes.io/instance=shop');
  const sha256 = '0'.repeat(64);
  const broken = [
    { archive: { url: first.url.replace('first', 'gone'), sha256 }, told: /gone\.tar\.gz cannot be read: .*404/ },
    { archive: { ...first, url: `${first.url}?2`, sha256 }, told: /cannot be read: .*404/ },
    { archive: { ...first, sha256 }, told: new RegExp(`sha256 ${first.sha256}, expected ${sha256}`) },
    { archive: { url: first.url.replace('first.tar.gz', 'endless'), sha256 }, told: /cannot be read: .*timed out/ },
  ];
  for (const { archive, told } of broken) {
    await rig.apply(site('shop', { archive }));
    await eventually(async () => expect(await isTold(rig, 'shop', 'ContentRefused')).toMatch(told), 120_000);
    expect(await rig.page('shop')).toBe('the first page');
  }
  expect((await rig.pods('app.kubernetes.io/instance=shop')).map(({ metadata }) => metadata?.uid)).toEqual([
    pod?.metadata?.uid,
  ]);
  const events = await rig.kubectl('get', 'events', '--field-selector', 'reason=ContentRefused', '--output=name');
  expect(events.trim().split('\n').length).toBeGreaterThanOrEqual(3);

  // Bad specs.
  await expect(rig.apply(site('both', { configMap: 'docs', archive: first }))).rejects.toThrow(
    'give one of spec.configMap and spec.archive',
  );

  // A new content, while the operator is not there for a while.
  const second = await rig.pack('second.tar.gz', 'the second page');
  await rig.apply(site('shop', { archive: second }));
  await isTold(rig, 'shop', 'Served');
  expect(await rig.page('shop')).toBe('the second page');
  await rig.stopOperator();
  expect(await rig.page('shop')).toBe('the second page');
  expect(await rig.page('docs')).toBe('<h1>Hello</h1>');
  await rig.startOperator();

  const rounds = await websiteChaos(rig, { rounds: 7, seed: 1 });
  expect(chaosFigures(rounds)).toHaveLength(8);

  const user = serviceAccountUser(OPERATOR.namespace, OPERATOR.name);
  expect(forbiddenRequests(await plane.auditLog(), user)).toEqual([]);
});
