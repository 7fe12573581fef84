import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { command } from './command.ts';

const PACKAGES = ['buildah', 'mmdebstrap'] as const;
/** Programs of util-linux, which every Debian has. */
const BASICS = ['unshare', 'nsenter'] as const;

/** Ensures that images can be built and run here; if not, fails with what to do. */
export async function needBuilders(env: NodeJS.ProcessEnv): Promise<void> {
  const isThere = (name: string): boolean =>
    (env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
  if (process.getuid?.() !== 0) {
    throw new Error('the image is built and run with mounts of its own, which only root may make: run this as root');
  }
  const basics = BASICS.filter((name) => !isThere(name));
  if (basics.length > 0) throw new Error(`there is no ${basics.join(' and no ')} here: install util-linux`);
  const missing = PACKAGES.filter((name) => !isThere(name));
  if (missing.length === 0) return;
  if (!isThere('apt-get')) {
    throw new Error(`there is no ${missing.join(' and no ')}, and no apt-get to install it with: install it`);
  }
  process.stderr.write(`installing ${missing.join(' and ')}\n`);
  await command('apt-get', ['update', '-q']);
  const install = ['install', '-y', '-q', '--no-install-recommends', ...missing];
  await command('apt-get', install, { env: { DEBIAN_FRONTEND: 'noninteractive' } });
}
