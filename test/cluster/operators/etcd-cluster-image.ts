import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Image } from '@hooklet/test-kubelet';
import { controlPlaneAssets, etcdToolAssets } from '../assets.ts';
import { buildProgram } from '../solutions/built-program.ts';
import { linkOrCopy } from '../../support/link-or-copy.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** The folder of the example. */
export const exampleDir = join(repository, 'examples', '300-etcd');

/** The versions that members can be started with; all are the etcd of the control plane. */
export const ETCD_VERSIONS = ['3.6.6', '3.6.7'] as const;

/** The image of the example's Dockerfile, and those of etcd. */
export async function etcdOperatorImages(): Promise<Readonly<Record<string, Image>>> {
  const built = await buildProgram();
  process.once('exit', () => built[Symbol.dispose]());
  const { etcd } = await controlPlaneAssets(process.env);
  const { etcdctl, etcdutl } = await etcdToolAssets(process.env);
  const tools = folderOf([etcdctl, etcdutl, process.execPath]);
  writeFileSync(join(tools, 'hooklet'), '#!/bin/sh\nexec node /opt/hooklet/dist/main.js "$@"\n', { mode: 0o755 });
  const operator: Image = {
    programs: [tools],
    entrypoint: ['hooklet', 'start'],
    env: { SHELL_OPERATOR_HOOKS_DIR: '/examples/300-etcd/hooks', LOG_TYPE: 'json' },
    files: {
      '/examples/300-etcd/hooks': join(exampleDir, 'hooks'),
      '/solutions/etcd-repair/hooks/lib': join(repository, 'solutions', 'etcd-repair', 'hooks', 'lib'),
      '/examples/310-backup/hooks/lib': join(repository, 'examples', '310-backup', 'hooks', 'lib'),
      '/opt/hooklet': built.folder,
    },
  };
  const member: Image = { programs: [folderOf([etcd, etcdctl, etcdutl])] };
  const members = ETCD_VERSIONS.map((version) => [`gcr.io/etcd-development/etcd:v${version}`, member]);
  return { 'registry.example.com/etcd-operator:1': operator, ...Object.fromEntries(members) };
}

/** A folder with these programs that every user may enter, inside of one that other users cannot. */
function folderOf(programs: readonly string[]): string {
  const outer = mkdtempSync(join(tmpdir(), 'hooklet-etcd-operator-'));
  process.once('exit', () => rmSync(outer, { recursive: true, force: true }));
  const folder = join(outer, 'bin');
  mkdirSync(folder, { mode: 0o755 });
  for (const program of programs) linkOrCopy(program, join(folder, basename(program)));
  return folder;
}
