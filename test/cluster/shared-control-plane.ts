import { readFile } from 'node:fs/promises';
import { inject } from 'vitest';
import { readAuditLog, type AuditEntry } from './audit.ts';
import { clusterConfig } from './cluster-config.ts';
import type { User } from './control-plane.ts';
import { tokenOf } from './control-plane.ts';
import { control } from './remote-control.ts';

/** What a test file knows about the control plane of its worker. */
export interface ProvidedControlPlane {
  readonly url: string;
  readonly ca: string;
  readonly controls: string;
  readonly auditLogPath: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** One for each worker. */
    readonly controlPlanes: readonly ProvidedControlPlane[];
  }
}

/** The control plane that the test files of one worker share; they run one after the other. */
export interface SharedControlPlane {
  readonly url: string;
  readonly ca: string;
  tokenOf(user: User): string;
  /** A kubeconfig, as JSON. */
  kubeconfig(user: User): string;
  killApiserver(): Promise<void>;
  startApiserver(): Promise<void>;
  /** Ends the controller manager: then nothing is reconciled, garbage-collected or bound. */
  stopControllers(): Promise<void>;
  startControllers(): Promise<void>;
  /** The requests for objects so far, except those of `admin` and of the servers; discovery is left out. */
  auditLog(): Promise<readonly AuditEntry[]>;
  compactEtcd(): Promise<void>;
}

/** The shared control plane; only in files that run with the cluster configuration. */
export function sharedControlPlane(): SharedControlPlane {
  const { url, ca, controls, auditLogPath } = ownControlPlane();
  return {
    url,
    ca,
    tokenOf,
    kubeconfig: (user) => clusterConfig({ url, ca, user, token: tokenOf(user) }),
    killApiserver: () => control(controls, 'killApiserver'),
    startApiserver: () => control(controls, 'startApiserver'),
    stopControllers: () => control(controls, 'stopControllers'),
    startControllers: () => control(controls, 'startControllers'),
    auditLog: async () => readAuditLog(await readFile(auditLogPath, 'utf8').catch(() => '')),
    compactEtcd: () => control(controls, 'compactEtcd'),
  };
}

function ownControlPlane(): ProvidedControlPlane {
  const worker = Number(process.env['VITEST_POOL_ID']);
  const plane = inject('controlPlanes')[worker - 1];
  if (plane === undefined) throw new Error(`there is no control plane for the worker ${worker} of vitest`);
  return plane;
}
