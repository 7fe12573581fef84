import { inject } from 'vitest';
import { clusterConfig } from './cluster-config.ts';
import type { User } from './control-plane.ts';
import { tokenOf } from './control-plane.ts';
import { control } from './remote-control.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly controlPlane: { readonly url: string; readonly ca: string; readonly controls: string };
  }
}

/** The control plane that all test files share, as one of them sees it. Files run one after the other. */
export interface SharedControlPlane {
  readonly url: string;
  readonly ca: string;
  tokenOf(user: User): string;
  /** A kubeconfig, as JSON. */
  kubeconfig(user: User): string;
  killApiserver(): Promise<void>;
  startApiserver(): Promise<void>;
  compactEtcd(): Promise<void>;
}

/** The shared control plane; only in files that run with the cluster configuration. */
export function sharedControlPlane(): SharedControlPlane {
  const { url, ca, controls } = inject('controlPlane');
  return {
    url,
    ca,
    tokenOf,
    kubeconfig: (user) => clusterConfig({ url, ca, user, token: tokenOf(user) }),
    killApiserver: () => control(controls, 'killApiserver'),
    startApiserver: () => control(controls, 'startApiserver'),
    compactEtcd: () => control(controls, 'compactEtcd'),
  };
}
