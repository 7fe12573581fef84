import type { KubernetesObject } from 'hooklet';
import { crontabProblem } from './crontab.ts';
import { bytesOf } from './quantity.ts';

/** A database as its user wants it; the schema of the definition fills in what has a default. */
export interface SampleDB extends KubernetesObject {
  readonly spec: Spec;
  readonly status?: {
    /** The version of the data, once it is there. */
    readonly version?: string;
    /** What the volumes have of what they were asked for. */
    readonly size?: string;
    readonly backupSize?: string;
    /** Of the claim of the data, once it is there; empty where it has none. */
    readonly storageClassName?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

export interface Spec {
  readonly version: string;
  readonly database: string;
  readonly secretName: string;
  readonly storage: { readonly size: string; readonly storageClassName?: string };
  readonly backup: {
    readonly size: string;
    readonly schedule?: string;
    readonly keep: number;
    readonly suspend: boolean;
  };
  readonly resources?: { readonly cpu?: string; readonly memory?: string };
  readonly settings?: Readonly<Record<string, string>>;
  readonly extensions?: readonly string[];
  readonly onDelete: 'Snapshot' | 'Discard';
  readonly jobTimeoutSeconds: number;
}

/** What cannot be undone: of the spec before a change, or of what is there. */
export interface Held {
  readonly version?: string | undefined;
  readonly database?: string | undefined;
  /** Empty where it was made without one. */
  readonly storageClassName?: string | undefined;
  readonly size?: string | undefined;
  readonly backupSize?: string | undefined;
}

/** What counts is what is there, not what was asked for: a version or a size that came to nothing can be taken back. */
export function heldBy(object: SampleDB, old: SampleDB | null): Held {
  if (old === null) return {};
  const { version, size, backupSize } = old.status ?? {};
  return { database: old.spec.database, storageClassName: heldClass(object, old), version, size, backupSize };
}

function heldClass({ spec }: SampleDB, old: SampleDB): string | undefined {
  const before = old.spec.storage.storageClassName;
  // Other fields can be changed while a wrong class stays in the spec.
  if (spec.storage.storageClassName === before) return undefined;
  return old.status?.storageClassName ?? before ?? '';
}

/** The major versions of PostgreSQL that the scripts are written for. */
export const MAJORS: readonly number[] = [14, 15, 16, 17, 18];
const RESERVED = /^(?:pg_.*|postgres|template[01])$/;
const OURS = ['data_directory', 'hba_file', 'listen_addresses', 'port', 'unix_socket_directories', 'fsync'];

/** All that is wrong with a SampleDB, as sentences that say what to do; empty for a good one. */
export function problemsOf(
  { metadata, spec }: Pick<SampleDB, 'metadata' | 'spec'>,
  held: Held = {},
): readonly string[] {
  return [
    ...nameProblems(metadata.name),
    ...versionProblems(spec.version, held.version),
    ...sizeProblems('storage.size', spec.storage.size, held.size),
    ...sizeProblems('backup.size', spec.backup.size, held.backupSize),
    ...scheduleProblems(spec.backup.schedule),
    ...keptProblems('database', spec.database, held.database),
    ...keptProblems('storage.storageClassName', spec.storage.storageClassName, held.storageClassName),
    ...(RESERVED.test(spec.database) ? [`spec.database: got ${spec.database}, which belongs to PostgreSQL`] : []),
    ...Object.keys(spec.settings ?? {}).flatMap(settingProblems),
  ];
}

function settingProblems(name: string): readonly string[] {
  if (OURS.includes(name)) return [`spec.settings.${name}: the operator sets it; remove it`];
  if (/^[a-z_][a-z0-9_.]*$/.test(name)) return [];
  return [`spec.settings.${name}: names of parameters are of small letters, digits, _ and .`];
}

/** The number in front: 17 of 17.5. */
export function majorOf(version: string): number {
  return Number(version.split('.', 1)[0]);
}

function nameProblems(name: string): readonly string[] {
  if (/^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(name)) return [];
  return [`metadata.name: got ${name}, which cannot name a Service: take at most 40 small letters, digits and -`];
}

function versionProblems(wanted: string, held: string | undefined): readonly string[] {
  const known = `expected PostgreSQL ${MAJORS[0]} to ${MAJORS.at(-1)}, such as ${MAJORS.at(-1)} or ${MAJORS.at(-1)}.1`;
  if (!/^\d{2}(?:\.\d{1,2})?$/.test(wanted)) return [`spec.version: got ${wanted}, ${known}`];
  if (!MAJORS.includes(majorOf(wanted))) return [`spec.version: got ${wanted}, which is unknown; ${known}`];
  if (held === undefined || majorOf(wanted) >= majorOf(held)) return [];
  return [
    `spec.version: got ${wanted}, but the data is of ${held}, which ${majorOf(wanted)} cannot read: set ${held}, or make another SampleDB and restore a backup into it`,
  ];
}

function sizeProblems(field: string, wanted: string, held: string | undefined): readonly string[] {
  const bytes = bytesOf(wanted);
  if (bytes === undefined || bytes <= 0) return [`spec.${field}: got ${wanted}, expected a size above 0 such as 10Gi`];
  if (held === undefined || bytes >= (bytesOf(held) ?? 0)) return [];
  return [`spec.${field}: got ${wanted}, but the volume has ${held}, and volumes cannot shrink: set ${held} or more`];
}

function scheduleProblems(schedule: string | undefined): readonly string[] {
  const problem = schedule === undefined ? undefined : crontabProblem(schedule);
  return problem === undefined ? [] : [`spec.backup.schedule: got ${schedule}, ${problem}`];
}

function keptProblems(field: string, wanted: string | undefined, held: string | undefined): readonly string[] {
  if (held === undefined || (wanted ?? '') === held) return [];
  if (held === '')
    return [`spec.${field}: got ${wanted}, but it was made without one: remove it, or make another SampleDB`];
  return [
    `spec.${field}: got ${wanted ?? 'nothing'}, but it is ${held} for good: set ${held}, or make another SampleDB`,
  ];
}
