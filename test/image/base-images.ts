import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { command } from './command.ts';
import type { ImageStore } from './image-store.ts';

const SUITE = 'trixie';

/**
 * Builds the images that the Dockerfile takes from registries: `debian` from packages, `node` with the Node and npm
 * that run this test, and `kubectl`. The layout is that of the original images.
 */
export async function buildBaseImages(
  store: ImageStore,
  { folder, kubectl }: { readonly folder: string; readonly kubectl: string },
): Promise<void> {
  const debian = await buildContext(join(folder, 'debian'), ['FROM scratch', 'ADD rootfs.tar /']);
  await command('nice', ['mmdebstrap', '--quiet', '--variant=minbase', SUITE, join(debian, 'rootfs.tar')]);
  await store.build('debian', { context: debian });

  const node = await buildContext(join(folder, 'node'), [
    'FROM localhost/debian',
    'COPY node /usr/local/bin/node',
    'COPY npm /usr/local/lib/node_modules/npm',
    'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
  ]);
  await cp(process.execPath, join(node, 'node'));
  await cp(await npmFolder(), join(node, 'npm'), { recursive: true });
  await store.build('node', { context: node });

  const binary = await buildContext(join(folder, 'kubectl'), ['FROM scratch', 'COPY --chmod=755 kubectl /bin/']);
  await cp(kubectl, join(binary, 'kubectl'));
  await store.build('kubectl', { context: binary });
}

async function buildContext(folder: string, dockerfile: readonly string[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'Dockerfile'), `${dockerfile.join('\n')}\n`);
  return folder;
}

async function npmFolder(): Promise<string> {
  const given = process.env['npm_execpath'];
  // The path ends in bin/npm-cli.js of the npm folder.
  if (given?.endsWith('npm-cli.js') === true) return dirname(dirname(given));
  return join(await command('npm', ['root', '--global']), 'npm');
}
