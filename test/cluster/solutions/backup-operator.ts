import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CoreV1Event, V1ConfigMap } from '@kubernetes/client-node';
import { expect, onTestFinished } from 'vitest';
import { controlClient } from '../../../src/cli/control/client.ts';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { until } from '../../support/operator-rig.ts';
import { startProgram, type Program } from '../../support/program.ts';
import { freePorts } from '../free-ports.ts';
import { handsOn, type Hands } from '../operator-rig.ts';
import type { SharedControlPlane } from '../shared-control-plane.ts';
import { linkPrograms } from './backup-image.ts';
import { NOT_NOW } from './backup-crontab.ts';
import { asNobody } from './backup-postgresql.ts';
import type { BackupServers } from './backup-servers.ts';
import type { BackupSource } from './backup-source.ts';
import { dumperIn, type Dumper } from './backup-dumper.ts';
import type { BuiltProgram } from './built-program.ts';

const solution = fileURLToPath(new URL('../../../solutions/backup', import.meta.url));
const fixtures = fileURLToPath(new URL('../../fixtures/backup', import.meta.url));

/** One published backup. */
export interface Backup {
  readonly name: string;
  readonly runId: string;
  readonly file: string;
  readonly bytes: number;
  readonly verified: string;
  readonly identity: string;
  readonly counts: Readonly<Record<string, number>>;
  /** The folder of the backup. */
  readonly folder: string;
}

/** An operator with the hook for one database, as a process that can be started and killed repeatedly. */
export interface BackupOperator {
  readonly namespace: string;
  readonly hands: Hands;
  /** Its own folder, for other files of a test. */
  readonly folder: string;
  /** The folder with the contents of the target, for either kind of target. */
  readonly target: string;
  start(env?: Readonly<Record<string, string>>): Promise<RunningBackups>;
  /** The environment that makes bash do something before a command of the hook, once. */
  at(command: string, then: string): Readonly<Record<string, string>>;
  /** The environment that makes the next dump go to a pipe that is not read, once: the dump stops in the middle. */
  heldDump(): Readonly<Record<string, string>>;
  /** Waits until the program that makes the dump has stopped in the middle. */
  dumper(): Promise<Dumper>;
  /** Published backups, oldest first. */
  published(): readonly Backup[];
  /** Everything except published backups, owner.json, latest.json and the records of the last run. */
  leftovers(): readonly string[];
  /** Runs the restore script; returns its output. */
  restore(...args: readonly string[]): Promise<string>;
  /** The same with another environment, and with --take-over for the identity of the newest backup. */
  restoreTo(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<string>;
  events(): Promise<readonly CoreV1Event[]>;
  /** Moves the persisted state of the schedule this many seconds into the past. */
  awayFor(seconds: number): Promise<void>;
  /** Whether the state of the schedule is persisted, so that it survives a restart. */
  hasState(): Promise<boolean>;
}

export interface RunningBackups extends Program {
  /** Triggers a backup, as `hooklet schedule trigger` does, once the settings have been checked. */
  trigger(): Promise<void>;
  /** Waits until a run has succeeded. */
  isDone(): Promise<void>;
  /** The metrics page. */
  metrics(): Promise<string>;
}

export interface BackupOperatorOptions {
  readonly plane: SharedControlPlane;
  readonly servers: BackupServers;
  readonly source: BackupSource;
  readonly program: BuiltProgram;
  readonly target: 'volume' | 's3';
  readonly env?: Readonly<Record<string, string>>;
}

// Files that one run leaves for the next.
const REMEMBERED = /^[^/]+\.(?:ended|identity)$/;
const FOR_ALL = new Set(['latest.json', 'owner.json']);

let count = 0;

/** Sets up an operator for the current test, with a namespace and a folder in the target of its own. */
export async function backupOperator(options: BackupOperatorOptions): Promise<BackupOperator> {
  const { plane, servers, source, target, program } = options;
  const hands = await handsOn(plane);
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const kubeconfig = join(folder.path, 'kubeconfig');
  writeFileSync(kubeconfig, plane.kubeconfig('admin'), { mode: 0o600 });
  count += 1;
  const name = `${source.database}-${count}`;
  const state = `backup-${source.database}`;
  const scratch = join(folder.path, 's').slice(0, 60);
  mkdirSync(join(folder.path, 'tmp'));
  const env = {
    ...servers.env,
    ...source.env,
    PATH: linkPrograms(join(folder.path, 'bin'), source.env['PATH'] ?? process.env['PATH'] ?? ''),
    TMPDIR: join(folder.path, 'tmp'),
    // The compile cache of Node is not a file of the operator.
    NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
    BACKUP_NAME: name,
    BACKUP_TARGET: target,
    BACKUP_DIR: join(folder.path, 'volume'),
    BACKUP_SCRATCH: scratch,
    BACKUP_JITTER: '0s',
    BACKUP_CRONTAB: NOT_NOW,
    BACKUP_RETRY_INTERVAL: '1s',
    KUBECONFIG: kubeconfig,
    POD_NAMESPACE: hands.namespace,
    // As in the container of a Pod, which is restarted.
    POD_NAME: 'backup-0',
    HOOKLET_HOOKS_DIR: hooksOf(source, folder.path),
    HOOKLET_SCHEDULE_STATE: `configmap/${state}`,
    ...options.env,
  };
  const at: BackupOperator['at'] = (command, then) => ({
    BASH_ENV: join(fixtures, 'at-command.sh'),
    AT_COMMAND: command,
    AT_MARK: join(folder.path, crypto.randomUUID()),
    THEN: then,
  });
  const { file } = source.dumper;
  const script = join(solution, 'restore', `${source.database}.sh`);
  const place = options.env?.['BACKUP_FOLDER'] ?? `${hands.namespace}/${name}`;
  const root = join(target === 's3' ? servers.bucket : env.BACKUP_DIR, place);
  return {
    namespace: hands.namespace,
    hands,
    folder: folder.path,
    target: root,
    start: async (more = {}) =>
      start(program, { ...env, ...more, HOOKLET_TMP_DIR: mkdtempSync(join(folder.path, 't-')) }),
    at,
    heldDump: () => at('step dump', `mkdir -p "$(dirname "${file}")"; mkfifo "${file}"; exec 8<> "${file}"`),
    dumper: async () => dumperIn(scratch, source.dumper.program),
    published: () => publishedIn(root),
    leftovers: () => [
      ...leftoversIn(root),
      ...filesIn(scratch).filter((path) => !REMEMBERED.test(path)),
      ...filesIn(env.TMPDIR),
    ],
    restore: async (...args) => restore([script, ...args], env),
    restoreTo: async (more, ...args) => {
      const { identity = '' } = publishedIn(root).at(-1) ?? {};
      return restore([script, '--take-over', identity, ...args], { ...env, ...more });
    },
    awayFor: async (seconds) => {
      const { data = {} } = (await hands.call('GET', hands.maps(state))) as V1ConfigMap;
      const earlier = (_: string, time: string): string =>
        `"${new Date(Date.parse(time) - seconds * 1000).toISOString()}"`;
      const moved = Object.entries(data).map(([key, text]) => [
        key,
        text.replaceAll(/"(\d{4}-[\d-]+T[^"]+Z)"/g, earlier),
      ]);
      await hands.patch(hands.maps(state), { data: Object.fromEntries(moved) });
    },
    events: async () => {
      const list = await hands.call('GET', `/api/v1/namespaces/${hands.namespace}/events`);
      return (list as { readonly items: readonly CoreV1Event[] }).items;
    },
    hasState: async () =>
      hands.call('GET', hands.maps(state)).then(
        (map) => Object.keys((map as { readonly data?: object }).data ?? {}).length > 0,
        () => false,
      ),
  };
}

const LIMIT_MS = 300_000;

async function start({ main }: BuiltProgram, env: Readonly<Record<string, string>>): Promise<RunningBackups> {
  const [port = 0] = await freePorts(1);
  const program = startProgram(['start', '--listen-port', String(port)], { env, main });
  const said = async (text: string | RegExp): Promise<void> =>
    until(() => expect(program.stdout(), program.stderr()).toMatch(text), LIMIT_MS);
  return {
    ...program,
    async trigger() {
      await said(/"binding":"guarded".*"msg":"hook finished"/);
      const client = controlClient(join(env['HOOKLET_TMP_DIR'] ?? '', 'hooklet.socket'));
      await client.ask('POST', '/schedules/backup.sh/backup/trigger');
    },
    isDone: async () => said(/"line":"backup \S+ is in [^]*"msg":"hook finished"/),
    metrics: async () => (await fetch(`http://127.0.0.1:${port}/metrics/hooks`)).text(),
  };
}

/** PostgreSQL does not verify backups as root. */
function hooksOf({ database }: BackupSource, folder: string): string {
  const hooks = join(solution, 'hooks', database);
  if (database !== 'postgresql' || process.getuid?.() !== 0) return hooks;
  const own = join(folder, 'hooks');
  mkdirSync(own);
  writeFileSync(join(own, 'backup.sh'), asNobody(join(hooks, 'backup.sh')), { mode: 0o755 });
  return own;
}

function publishedIn(root: string): readonly Backup[] {
  if (!existsSync(root)) return [];
  const folders = readdirSync(root).filter((name) => existsSync(join(root, name, 'manifest.json')));
  return folders.toSorted().map((name) => {
    const folder = join(root, name);
    return {
      name,
      folder,
      ...(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Omit<Backup, 'folder' | 'name'>),
    };
  });
}

function leftoversIn(root: string): readonly string[] {
  const names = new Set(publishedIn(root).map(({ name }) => name));
  return filesIn(root).filter((path) => !FOR_ALL.has(path) && !names.has(path.split('/')[0] ?? ''));
}

function filesIn(root: string): readonly string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

async function restore(command: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const [program = '', ...args] = command;
  const { stdout } = await promisify(execFile)(program, args, { env: { ...process.env, ...env } });
  return stdout;
}
