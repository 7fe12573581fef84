import type { EventRecorder } from '../../kube/coordination/event-recorder.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Watches } from '../../kube/watch/shared-watches.ts';
import type { Logger } from '../../log.ts';
import type { CertificateSource } from './certificate-source.ts';
import type { Certificates, RegisteredBundles } from './certificates.ts';
import { SYSTEM_CLOCK, type CertificateClock } from './clock.ts';
import { certificateFiles } from './files.ts';
import type { SecretPlace } from './followed-secret.ts';
import { givenCertificates } from './given.ts';
import { givenSecret } from './given-secret.ts';
import { certificateNames, type ServerNames } from './names.ts';
import { selfMadeCertificates } from './self-made/self-made.ts';
import type { CertificateMetrics } from './served.ts';

export interface CertificatesOptions {
  readonly source: CertificateSource;
  readonly client: Pick<KubeClient, 'request'>;
  readonly watches: Watches;
  readonly registered: RegisteredBundles;
  /** What clients call the server; for certificates that hooklet makes itself. */
  readonly names: ServerNames;
  readonly log: Logger;
  readonly metrics: CertificateMetrics;
  readonly events: Pick<EventRecorder, 'record'>;
  /**
   * How long a certificate authority must be registered until every API server knows it. Default 60 s, and less than the
   * last sixth of certificates that hooklet makes, in which they are replaced without waiting for it.
   */
  readonly settleMs?: number;
  readonly clock?: CertificateClock;
  /** The longest time between two looks; default 10 s, and at most a sixth of the settle time. */
  readonly tickMs?: number;
  /** For tests: what the API server's time is, in place of what it says. */
  readonly serverTime?: (saidMs: number) => number;
}

const SETTLE_MS = 60_000;
/** Of the life of a certificate. */
const SETTLE_SHARE = 1 / 12;
const TICK_MS = 10_000;
const SHORTEST_TICK_MS = 100;
const SLACK_MS = 3_600_000;

/** Opens the certificates of the webhook server; `run` keeps them. Watches begin now. */
export function openCertificates(options: CertificatesOptions): Certificates {
  const { source, settleMs = defaultSettleMs(source), clock = SYSTEM_CLOCK } = options;
  const { tickMs = Math.min(TICK_MS, Math.max(settleMs / 6, SHORTEST_TICK_MS)) } = options;
  const parts = { ...options, settleMs, clock, tickMs };
  switch (source.type) {
    case 'files':
      return givenCertificates(certificateFiles(source), parts);
    case 'secret':
      return givenCertificates(givenSecret({ ...options, place: source }), parts);
    case 'selfMade': {
      const { authorityMs, leafMs } = source;
      // A leaf cannot outlive its authority.
      const lifetimes = { authorityMs, leafMs: Math.min(leafMs, authorityMs), slackMs: SLACK_MS };
      const names = certificateNames(options.names);
      return selfMadeCertificates({ ...parts, place: secretPlace(source), names, lifetimes });
    }
  }
}

/** Where the certificates that hooklet makes are kept. */
export function secretPlace({
  namespace,
  name,
}: Extract<CertificateSource, { readonly type: 'selfMade' }>): SecretPlace {
  return { namespace, name };
}

function defaultSettleMs(source: CertificateSource): number {
  if (source.type !== 'selfMade') return SETTLE_MS;
  return Math.min(SETTLE_MS, Math.min(source.authorityMs, source.leafMs) * SETTLE_SHARE);
}
