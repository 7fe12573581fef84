import { join, relative } from 'node:path';
import { stringify } from 'yaml';
import { solutionDir } from './etcd-repair-image.ts';

/** The choices of a person who installs the solution. */
export interface Installation {
  readonly namespace: string;
  readonly replicas: number;
  /** The hook is not started until the test starts it. */
  readonly withoutHook?: boolean;
  /** Settings of the hook, which override those that make it fast. */
  readonly settings: Readonly<Record<string, string>>;
  /** Environment of the members, such as `ETCD_SNAPSHOT_COUNT`. */
  readonly memberEnv?: Readonly<Record<string, string>>;
  /** More patches of the kustomization. */
  readonly patches: readonly object[];
}

// Probes must not restart what is only slow.
const PATIENT = { timeoutSeconds: 30, failureThreshold: 60 };
// Otherwise each check of a password takes a tenth of a second of CPU time.
const MEMBER = { ETCD_LOG_LEVEL: 'warn', ETCD_BCRYPT_COST: '4' };

/** Installs the solution for a StatefulSet of a given size, with short limits. */
export function kustomization(folder: string, installation: Installation): string {
  const { namespace, replicas, withoutHook = false, settings, memberEnv, patches } = installation;
  const names = (prefix: string): readonly string[] =>
    Array.from({ length: replicas }, (_, at) => `${prefix}etcd-${at}`);
  const manifests = relative(folder, join(solutionDir, 'manifests'));
  return stringify({
    namespace,
    resources: [manifests, join(manifests, 'try'), 'resources.yaml'],
    patches: [
      merged('StatefulSet', 'etcd', {
        replicas,
        template: {
          spec: {
            terminationGracePeriodSeconds: 3,
            containers: [
              {
                name: 'etcd',
                env: environment({ REPLICAS: String(replicas), ...MEMBER, ...memberEnv }),
                readinessProbe: { periodSeconds: 1 },
                startupProbe: { ...PATIENT, periodSeconds: 1 },
              },
            ],
          },
        },
      }),
      merged('Deployment', 'etcd-member-repair', {
        replicas: withoutHook ? 0 : 1,
        template: {
          spec: {
            terminationGracePeriodSeconds: 3,
            containers: [{ name: 'hooklet', env: environment(settings), livenessProbe: PATIENT }],
          },
        },
      }),
      {
        target: { kind: 'Role', name: 'etcd-member-repair' },
        patch: stringify([
          { op: 'replace', path: '/rules/3/resourceNames', value: names('') },
          { op: 'replace', path: '/rules/4/resourceNames', value: names('data-') },
        ]),
      },
      ...patches,
    ],
  });
}

/** A strategic merge patch of the `spec` of a workload. */
export function merged(kind: string, name: string, spec: object): object {
  return { patch: stringify({ apiVersion: 'apps/v1', kind, metadata: { name }, spec }) };
}

/** Variables as a container lists them. */
export function environment(values: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}
