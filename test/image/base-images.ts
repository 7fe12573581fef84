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

/**
 * Builds images around that of hooklet, with no build of it: `repacked`, as a Dockerfile that takes shell-operator out
 * of its image into another base; `alone`, with the one folder of hooklet alone; `alpine`, a stand-in for Alpine, whose
 * programs are those of busybox and whose `apk` installs packages of Debian, made ready by the script of the Dockerfile.
 */
export async function buildAround(store: ImageStore, folder: string, root: string): Promise<void> {
  const home = '/usr/local/lib/hooklet';
  const all = [`COPY --from=localhost/hooklet ${home} ${home}`];
  const shellOperator = ['/shell-operator /shell-operator', '/frameworks /frameworks', '/shell_lib.sh /'];
  const files = shellOperator.map((paths) => `COPY --from=localhost/hooklet ${paths}`);
  const ends = ['ENV SHELL_OPERATOR_HOOKS_DIR=/hooks', 'ENTRYPOINT ["/shell-operator"]', 'CMD ["start"]'];
  const plain = ['FROM localhost/debian', 'RUN mkdir /hooks'];
  const repacked = await buildContext(join(folder, 'repacked'), [...plain, ...files, ...all, ...ends]);
  await store.build('repacked', { context: repacked });
  const alone = await buildContext(join(folder, 'alone'), [...plain, ...all]);
  await store.build('alone', { context: alone });

  const busybox = await buildContext(join(folder, 'busybox'), [
    'FROM localhost/debian',
    'RUN apt-get update && apt-get install -y --no-install-recommends busybox',
    'COPY --chmod=755 apk /usr/local/sbin/apk',
    'RUN mkdir /opt/busybox && busybox --install -s /opt/busybox && rm -f /opt/busybox/dpkg* /opt/busybox/ar',
    'ENV PATH=/opt/busybox:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  ]);
  await writeFile(join(busybox, 'apk'), APK);
  await store.build('busybox', { context: busybox });
  const alpine = await buildContext(join(folder, 'alpine'), [
    'FROM localhost/busybox',
    'COPY base.sh /tmp/base.sh',
    'RUN sh /tmp/base.sh && mkdir /hooks',
    ...files,
    ...all,
    ...ends,
  ]);
  await cp(join(root, 'scripts', 'image', 'base.sh'), join(alpine, 'base.sh'));
  await store.build('alpine', { context: alpine });
}

/** Notes what it was asked for, and installs it from Debian, which calls the library of C++ otherwise. */
const APK = [
  '#!/bin/bash',
  'echo "apk $*" >> /apk.log',
  'export PATH=/usr/sbin:/usr/bin:/sbin:/bin',
  'packages=("${@:3}")',
  'apt-get update',
  'apt-get install -y --no-install-recommends "${packages[@]/#libstdc++/libstdc++6}"',
  '',
].join('\n');

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
