import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Image } from '@hooklet/test-kubelet';
import { controlPlaneAssets, etcdToolAssets } from '../assets.ts';
import { buildProgram } from './built-program.ts';
import { linkOrCopy } from '../../support/link-or-copy.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** The folder of the solution. */
export const solutionDir = join(repository, 'solutions', 'etcd-repair');

/** The image of another version of the solution, whose hook is another file. */
export const OTHER_VERSION = 'registry.example.com/etcd-member-repair:other';

/**
 * The image of the Dockerfile of the solution: hooklet with the hook, etcd, etcdctl and etcdutl, and that of another
 * version. Before and after each call of etcdctl, they run the script with the name of that call in the folder
 * `control`, such as `after-member-remove`.
 */
export async function etcdRepairImages(control: string): Promise<Readonly<Record<string, Image>>> {
  const { programs, hooklet, otherHooks } = await madeOnce();
  const image: Image = {
    programs: [programs],
    entrypoint: ['hooklet', 'start'],
    env: { SHELL_OPERATOR_HOOKS_DIR: '/hooks', LOG_TYPE: 'json' },
    files: { '/hooks': join(solutionDir, 'hooks'), '/opt/hooklet': hooklet, '/control': control },
  };
  return {
    'registry.example.com/etcd-member-repair:1.1.0': image,
    [OTHER_VERSION]: { ...image, files: { ...image.files, '/hooks': otherHooks } },
  };
}

/** Folders that all clusters of this process share; they are removed with it. */
interface Made {
  readonly programs: string;
  /** The package. */
  readonly hooklet: string;
  /** The hooks of another version. */
  readonly otherHooks: string;
}

let made: Promise<Made> | undefined;

async function madeOnce(): Promise<Made> {
  made ??= make();
  return made;
}

async function make(): Promise<Made> {
  const built = await buildProgram();
  process.once('exit', () => built[Symbol.dispose]());
  const programs = await makeProgramFolder();
  const otherHooks = join(programs, '..', 'hooks');
  cpSync(join(solutionDir, 'hooks'), otherHooks, { recursive: true });
  appendFileSync(join(otherHooks, 'etcd-repair.ts'), '// Of another version.\n');
  return { programs, hooklet: built.folder, otherHooks };
}

async function makeProgramFolder(): Promise<string> {
  // Other users cannot enter the outer folder, so containers see the inner one elsewhere: they have a /tmp of their
  // own.
  removeLeftovers();
  const outer = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  process.once('exit', () => rmSync(outer, { recursive: true, force: true }));
  const folder = join(outer, 'bin');
  mkdirSync(folder, { mode: 0o755 });
  const { etcd } = await controlPlaneAssets(process.env);
  const { etcdctl, etcdutl } = await etcdToolAssets(process.env);
  for (const path of [etcd, etcdutl]) linkOrCopy(path, join(folder, basename(path)));
  linkOrCopy(etcdctl, join(folder, 'real-etcdctl'));
  linkOrCopy(process.execPath, join(folder, 'node'));
  writeProgram(join(folder, 'hooklet'), 'exec node /opt/hooklet/dist/main.js "$@"\n');
  writeProgram(join(folder, 'etcdctl'), WATCHED_ETCDCTL);
  return folder;
}

const WATCHED_ETCDCTL = `
case "$*" in
  *'endpoint status'*) call=endpoint-status ;;
  *'member list'*) call=member-list ;;
  *'snapshot save'*) call=snapshot-save ;;
  *'move-leader'*) call=move-leader ;;
  *'member remove'*) call=member-remove ;;
  *'member add'*) call=member-add ;;
  *'member promote'*) call=member-promote ;;
  *) call=other ;;
esac
[ ! -e "/control/before-$call" ] || . "/control/before-$call"
real-etcdctl "$@"
code=$?
[ ! -e "/control/after-$call" ] || . "/control/after-$call"
exit "$code"
`;

function writeProgram(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}`);
  chmodSync(path, 0o755);
}

const PREFIX = 'hooklet-etcd-programs-';

/** Removes folders of test processes that were killed. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(PREFIX))) {
    const [pid = ''] = name.slice(PREFIX.length).split('-');
    if (!existsSync(`/proc/${pid}`)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}
