import type { CertificateChoice } from '../../server/certificates/certificate-source.ts';

/** How webhooks are served and registered, as the flags of `start` say it. */
export interface WebhookSettings {
  /** Namespace of the Services; empty unless it was given. */
  readonly namespace: string;
  /**
   * Where the API server calls webhooks, in place of a Service, with port 0 for the one that is listened on; empty: at the
   * Service.
   */
  readonly url: string;
  /** Where certificates come from. */
  readonly certificates: CertificateChoice;
  /** How long the certificates that hooklet makes are valid. */
  readonly authorityMs: number;
  readonly leafMs: number;
  readonly admission: AdmissionSettings;
  readonly conversion: ConversionSettings;
}

/** A server of webhooks: its certificates, its Service and where it listens. */
export interface ConversionSettings {
  readonly serviceName: string;
  /** Paths of PEM files, which need not exist. */
  readonly serverCert: string;
  readonly serverKey: string;
  readonly ca: string;
  /** Paths of certificates of which one must have signed that of a caller; empty: every caller is accepted. */
  readonly clientCa: readonly string[];
  readonly listenPort: number;
  readonly listenAddress: string;
}

/** The server of validating and mutating webhooks. */
export interface AdmissionSettings extends ConversionSettings {
  /** The webhook configurations are called so, with `-hooks` at the end. */
  readonly configurationName: string;
  /** `failurePolicy` of a webhook whose config has none. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** `matchOwnNamespace` of a webhook whose config has none. */
  readonly matchOwnNamespace: boolean;
}
