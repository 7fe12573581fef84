import type { V1Container, V1PodSecurityContext, V1PodSpec, V1SecurityContext } from '@kubernetes/client-node';
import { readFileSync } from 'node:fs';

/** The user and groups that a container runs as, and its privileges. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
  readonly capabilities: 'all' | readonly string[];
  readonly noNewPrivileges: boolean;
}

/** The capabilities of containers by default, as in the common container runtimes. */
const DEFAULT_CAPABILITIES =
  'chown dac_override fowner fsetid kill setgid setuid setpcap net_bind_service net_raw sys_chroot mknod audit_write setfcap';

/** Reads the security contexts of a container and its pod; throws if they contradict each other. */
export function userOf(container: V1Container, { securityContext: pod = {} }: V1PodSpec): ContainerUser {
  const own = container.securityContext ?? {};
  const { uid, gid } = accountToRun(own, pod);
  return {
    uid,
    gid,
    groups: groupsOf(pod),
    capabilities: own.privileged === true ? 'all' : capabilitiesOf(own),
    noNewPrivileges: own.allowPrivilegeEscalation === false,
  };
}

function accountToRun(own: V1SecurityContext, pod: V1PodSecurityContext): Pick<ContainerUser, 'uid' | 'gid'> {
  const uid = own.runAsUser ?? pod.runAsUser ?? 0;
  if ((own.runAsNonRoot ?? pod.runAsNonRoot) === true && uid === 0) {
    throw new Error('container has runAsNonRoot and image will run as root');
  }
  return { uid, gid: own.runAsGroup ?? pod.runAsGroup ?? accountOf(uid)?.gid ?? 0 };
}

function groupsOf({ supplementalGroups = [], fsGroup }: V1PodSecurityContext): readonly number[] {
  return [...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])];
}

/** The home directory of a user, as a container runtime sets it. */
export function homeOf(uid: number): string {
  return accountOf(uid)?.home ?? '/';
}

/** The words of a command line that run the words after them as this user. */
export function credentialWords({ uid, gid, groups, capabilities, noNewPrivileges }: ContainerUser): readonly string[] {
  return [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    groups.length === 0 ? '--clear-groups' : `--groups=${groups.join(',')}`,
    '--inh-caps=-all',
    ...(capabilities === 'all'
      ? []
      : [`--bounding-set=${['-all', ...capabilities.map((name) => `+${name}`)].join(',')}`]),
    ...(noNewPrivileges ? ['--no-new-privs'] : []),
    '--',
  ];
}

function capabilitiesOf({ capabilities = {} }: V1SecurityContext): 'all' | readonly string[] {
  const { add = [], drop = [] } = capabilities;
  const names = (list: readonly string[]): readonly string[] =>
    list.map((name) => name.toLowerCase().replace(/^cap_/, ''));
  if (names(add).includes('all')) return 'all';
  const dropped = names(drop);
  const kept = dropped.includes('all') ? [] : DEFAULT_CAPABILITIES.split(' ').filter((name) => !dropped.includes(name));
  return [...new Set([...kept, ...names(add)])];
}

function accountOf(uid: number): { readonly gid: number; readonly home: string } | undefined {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [, , id, gid, , home = '/'] = line.split(':');
    if (Number(id) === uid && id !== '') return { gid: Number(gid), home };
  }
  return undefined;
}
