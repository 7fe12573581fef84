import type { KubernetesObject } from 'hooklet';

export const GROUP = 'example.hooklet.dev';
/** The labels of Jobs and Pods: the Backup they are of, its uid, and what they do. */
export const BACKUP_LABEL = `${GROUP}/backup`;
export const UID_LABEL = `${GROUP}/backup-uid`;
export const TASK_LABEL = `${GROUP}/task`;

/** What a Job does. */
export type Task = 'backup' | 'drill' | 'remove';

/** A Backup as the API server holds it: its schema has checked it and filled in the defaults. */
export interface Backup extends KubernetesObject {
  readonly spec: BackupSpec;
  readonly status?: unknown;
}

export interface BackupSpec {
  readonly schedule: string;
  readonly timeZone: string;
  readonly suspend: boolean;
  readonly source: Source;
  readonly destination: Destination;
  readonly retention: { readonly keep: number; readonly keepDays: number };
  readonly verify: 'Restore' | 'Read' | 'No';
  readonly drill?: Drill;
  readonly encryption?: { readonly recipients: readonly string[]; readonly identitySecretName?: string };
  readonly retries: number;
  readonly startTimeout: string;
  readonly deadline: string;
  readonly lockTimeout: string;
  readonly room: { readonly memory: string; readonly disk: string };
  readonly deletionPolicy: 'Keep' | 'Delete';
}

/** Exactly one of its fields is given. */
export interface Source {
  readonly postgresql?: Server & { readonly database: string; readonly secretName: string };
  readonly redis?: Server & { readonly secretName?: string };
  readonly etcd?: {
    readonly endpoints: readonly string[];
    readonly secretName?: string;
    readonly tlsSecretName?: string;
  };
  readonly volume?: { readonly claimName: string; readonly path: string; readonly runAsUser: number };
  readonly command?: CommandSource;
}

interface Server {
  readonly host: string;
  readonly port: number;
}

export interface CommandSource {
  readonly image?: string;
  readonly command: readonly string[];
  readonly check?: readonly string[];
  readonly secretName?: string;
}

export interface Destination {
  readonly endpoint?: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix?: string;
  readonly folder?: string;
  readonly secretName: string;
  readonly takeOver?: string;
}

export interface Drill {
  readonly schedule: string;
  readonly query?: string;
  readonly expect?: string;
  readonly minimum?: number;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** The seconds of a duration such as `1h30m`. */
export function secondsOf(duration: string): number {
  const parts = [...duration.matchAll(/(\d+)([smh])/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
}
