import { isIP } from 'node:net';
import type { ClusterSpec, TlsOptions } from '../cluster.ts';
import { lifetimeOf } from '../quantity.ts';
import { DEFAULT_AUTHORITY_DURATION, DEFAULT_DURATION } from './wanted.ts';

const HOUR_MS = 3_600_000;
const MOST_DAYS = 36_500;
const MOST_NAMES = 100;
const LABELS = /^(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** What is wrong with `spec.tls` by itself. */
export function tlsProblem({ tls }: ClusterSpec): string | undefined {
  if (tls === undefined) return undefined;
  return tls.secrets === undefined ? (durationProblem(tls) ?? nameProblem(tls)) : mixture(tls);
}

function durationProblem({ duration = DEFAULT_DURATION, authorityDuration }: TlsOptions): string | undefined {
  const [ms, authority = DEFAULT_AUTHORITY_DURATION] = [lifetimeOf(duration), authorityDuration];
  if (ms === undefined || ms < HOUR_MS) {
    return `spec.tls.duration is "${duration}": ask for at least 1h, such as 365d or 2160h`;
  }
  const authorityMs = lifetimeOf(authority);
  if (authorityMs !== undefined && authorityMs >= 3 * ms && authorityMs <= MOST_DAYS * 24 * HOUR_MS) return undefined;
  return `spec.tls.authorityDuration is "${authority}": ask for at least three times spec.tls.duration, which is ${duration}, and at most ${MOST_DAYS}d, such as ${DEFAULT_AUTHORITY_DURATION}`;
}

function nameProblem({ extraNames = [] }: TlsOptions): string | undefined {
  if (extraNames.length > MOST_NAMES) {
    return `spec.tls.extraNames has ${extraNames.length} names: ask for ${MOST_NAMES} at most`;
  }
  const wrong = extraNames.find(
    (name) => isIP(name) === 0 && !(LABELS.test(name) && name.length <= 253 && !/\.\d+$/.test(name)),
  );
  if (wrong === undefined) return undefined;
  return `spec.tls.extraNames has "${wrong}": ask for a DNS name in small letters or an address, such as etcd.example.com or 10.0.0.7`;
}

/** `spec.tls.secrets` excludes all other fields of `spec.tls`. */
function mixture({ secrets, ...own }: TlsOptions): string | undefined {
  const [field] = Object.keys(own);
  if (secrets === undefined || field === undefined) return undefined;
  return `spec.tls.${field} is about certificates that the operator makes, but spec.tls.secrets names those of yours: take one of them away`;
}

/** Why TLS cannot come or go; members of both kinds do not understand each other. */
export function tlsChange(spec: ClusterSpec, wasTls: boolean): string | undefined {
  if ((spec.tls !== undefined) === wasTls) return undefined;
  const [what, how] = wasTls ? ['is absent', 'set it back'] : ['is new', 'take it away'];
  return `spec.tls ${what}, but members that speak TLS and members that do not cannot be one cluster: ${how}, or restore a backup into a new EtcdCluster`;
}
