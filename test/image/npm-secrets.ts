import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command } from './command.ts';

/** The npm settings of this machine, as secrets of the build: the registry and its certificate authority. */
export async function npmSecrets(folder: string): Promise<Readonly<Record<string, string>>> {
  const setting = async (key: string): Promise<string> => {
    const value = await command('npm', ['config', 'get', key]);
    return ['null', 'undefined'].includes(value) ? '' : value;
  };
  const own = await readFile(await setting('userconfig'), 'utf8').catch(() => '');
  const ca = (await setting('cafile')) || (process.env['NODE_EXTRA_CA_CERTS'] ?? '');
  const lines = [
    ...own.split('\n').filter((line) => !/^\s*cafile\s*=/.test(line)),
    `registry=${await setting('registry')}`,
    ...(ca === '' ? [] : ['cafile=/run/secrets/ca.pem']),
  ];
  const npmrc = join(folder, 'npmrc');
  await writeFile(npmrc, `${lines.join('\n')}\n`, { mode: 0o600 });
  return { npmrc, ...(ca !== '' && { ca }) };
}
