import { mkdtemp, rm } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { kubectlAsset } from '../cluster/assets.ts';
import { buildAround, buildBaseImages } from './base-images.ts';
import { needBuilders } from './builders.ts';
import type { Image } from './image-store.ts';
import { ImageStore } from './image-store.ts';
import { npmSecrets } from './npm-secrets.ts';

type Around = 'shellOperator' | 'repacked' | 'alone' | 'alpine';

declare module 'vitest' {
  interface ProvidedContext {
    /** The images under test: hooklet itself, one of an example, that of `deploy/`, and those around hooklet's files. */
    readonly images: Readonly<Record<'hooklet' | 'slim' | 'example' | 'extended' | 'deployed' | Around, Image>>;
    readonly kubectl: string;
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The example whose image is built on that of hooklet. */
export const EXAMPLE = '101-monitor-pods';

/** What a release says of its image. */
export const NAMED = { VERSION: '1.2.3', REVISION: 'abc123', SOURCE: 'https://example.com/hooklet' };

/** Builds the images for all test files, from the files that .dockerignore allows, and removes them after the tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await needBuilders(process.env);
  const kubectl = await kubectlAsset(process.env);
  const folder = await mkdtemp(join(tmpdir(), 'hooklet-image-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const store = new ImageStore(folder);
  await timed('base images', async () => buildBaseImages(store, { folder, kubectl }));
  const args = { BASE: 'localhost/node', RUNTIME: 'localhost/debian', KUBECTL: 'localhost/kubectl' };
  await timed('hooklet', async () => {
    await store.build('built', { context: root, target: 'build', args, secrets: await npmSecrets(folder) });
  });
  await timed('the image', async () => {
    await store.build('hooklet', { context: root, args: { ...args, ...NAMED }, stages: { build: 'built' } });
  });
  await timed('the small image', async () => {
    await store.build('slim', { context: root, target: 'slim', args, stages: { build: 'built' } });
  });
  await timed('images on top', async () => {
    await store.build('example', { context: join(root, 'examples', EXAMPLE) });
    await store.build('extended', { context: join(root, 'test', 'image', 'extended') });
    await store.build('deployed', { context: root, dockerfile: join(root, 'deploy', 'Dockerfile') });
    const compat = { context: join(root, 'deploy'), dockerfile: join(root, 'deploy', 'shell-operator.Dockerfile') };
    await store.build('shell-operator', compat);
    await buildAround(store, folder, root);
  });
  project.provide('images', {
    hooklet: await store.unpack('hooklet'),
    slim: await store.unpack('slim'),
    example: await store.unpack('example'),
    extended: await store.unpack('extended'),
    deployed: await store.unpack('deployed'),
    shellOperator: await store.unpack('shell-operator'),
    repacked: await store.unpack('repacked'),
    alone: await store.unpack('alone'),
    alpine: await store.unpack('alpine'),
  });
  project.provide('kubectl', kubectl);
  return async () => {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    process.off('exit', remove);
  };
}

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const start = Date.now();
  process.stderr.write(`building ${what} …`);
  await work();
  process.stderr.write(` ${Math.round((Date.now() - start) / 1000)} s\n`);
}
