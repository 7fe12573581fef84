import type { SampleDB } from './spec.ts';

/** The labels by which Pods, Jobs and volumes of a SampleDB are found. */
export const NAME_LABEL = 'sampledb.hooklet.dev/name';
export const PART_LABEL = 'sampledb.hooklet.dev/part';
/** The annotation of the volume that says which version its data is of. */
export const VERSION = 'sampledb.hooklet.dev/version';
/** How the volume of a SampleDB with backups is called, which stays when that is deleted. */
export const backupsOf = (name: string): string => `${name}-backups`;

const USER = 999;
const RESTRICTED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};
/** What all Pods have: no rights, no root, and a group that owns their volumes. */
export const POD = {
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: USER,
    runAsGroup: USER,
    fsGroup: USER,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  },
};
/** A place for sockets and temporary files. */
export const TMP = { name: 'tmp', emptyDir: {} };
/** What all containers mount. */
export const MOUNTS = [
  { name: 'tmp', mountPath: '/tmp' },
  { name: 'scripts', mountPath: '/scripts', readOnly: true },
];

/** The labels of what belongs to a SampleDB. */
export const labelsOf = (name: string, part: string): Readonly<Record<string, string>> => ({
  [NAME_LABEL]: name,
  [PART_LABEL]: part,
});
/** A volume of a Pod, by the name of its claim. */
export const claim = (name: string, claimName: string) => ({ name, persistentVolumeClaim: { claimName } });
/** The volume with the scripts. */
export const scriptsOf = (name: string) => ({ name: 'scripts', configMap: { name: `${name}-scripts` } });
const imageOf = (version: string): string => `postgres:${version}`;

// Kubernetes puts the values of variables, such as passwords, in the place of $(NAME), and $ in the place of $$.
const asWritten = (text: string): string => text.replaceAll('$', () => '$$');

/** The settings as arguments of PostgreSQL. */
export function settingsOf({ spec: { settings = {} } }: SampleDB): readonly string[] {
  const names = Object.keys(settings).toSorted();
  return names.flatMap((name) => ['-c', asWritten(`${name}=${settings[name] ?? ''}`)]);
}

interface Work {
  readonly version: string;
  readonly script: string;
  readonly args?: readonly string[];
}

/** A container that runs a script in the image of a version. */
export function containerOf({ spec: { resources } }: SampleDB, name: string, { version, script, args = [] }: Work) {
  const { cpu, memory } = resources ?? {};
  return {
    name,
    image: imageOf(version),
    command: ['bash', `/scripts/${script}`],
    args,
    securityContext: RESTRICTED,
    // The last lines of the log are shown in the status of the SampleDB.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    resources: {
      requests: { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) },
      limits: { ...(memory !== undefined && { memory }) },
    },
  };
}

/** A variable with a password, of a key of the Secret. */
export function password({ spec: { secretName } }: SampleDB, variable: string, key: string) {
  return { name: variable, valueFrom: { secretKeyRef: { name: secretName, key } } };
}
