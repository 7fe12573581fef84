/*
 * The certificates of the servers of webhooks. Admission and conversion use the same ones, so both wait for each other's
 * registrations before a new certificate is served; conversion has its own where there are files for it. They are kept
 * from the first that needs them until the last has answered its last request.
 */

import { existsSync } from 'node:fs';
import { aborted } from '../../lib/aborted.ts';
import { Changes } from '../../lib/changes.ts';
import { joinedBundles } from '../../server/certificates/bundle.ts';
import { certificateSource, type CertificateSource } from '../../server/certificates/certificate-source.ts';
import { certificatesOf, type Certificates, type RegisteredBundles } from '../../server/certificates/certificates.ts';
import { dropSecret } from '../../server/certificates/self-made/drop-secret.ts';
import { openCertificates, secretPlace } from '../../server/certificates/open-certificates.ts';
import type { WebhooksOptions } from './open-webhooks.ts';
import type { WebhookPlace } from './place.ts';
import type { ConversionSettings } from './settings.ts';

const DEFAULT_NAME = 'shell-operator-hooks';

/** Opens the certificates of one server, given what it has registered. */
export type OpenCertificates = (registered: RegisteredBundles) => Certificates;

export interface WebhookCertificatesOptions extends WebhooksOptions {
  readonly place: WebhookPlace;
}

/** The certificates that servers share; see above. */
export class WebhookCertificates {
  readonly #options: WebhookCertificatesOptions;
  readonly #registered: RegisteredBundles[] = [];
  readonly #changes = new Changes();
  readonly #ended = new AbortController();
  #shared: Certificates | undefined;
  #running: Promise<void> | undefined;
  #users = 0;

  constructor(options: WebhookCertificatesOptions) {
    this.#options = options;
  }

  /** Prepares the certificates of admission webhooks; rejects with `UsageError` when there can be none. */
  async admission(): Promise<OpenCertificates> {
    return this.#sharing(await this.#source());
  }

  /** Prepares the certificates of conversions; rejects with `UsageError` when there can be none. */
  async conversion(): Promise<OpenCertificates> {
    const { certificates, conversion, admission } = this.#options.settings;
    const mayHaveFiles = certificates.type === 'auto' || certificates.type === 'files';
    const hasFiles = conversion.serverCert !== admission.serverCert && existsSync(conversion.serverCert);
    if (!mayHaveFiles || !hasFiles) return this.#sharing(await this.#source());
    const source = { type: 'files', ...filesOf(conversion) } as const;
    return (registered) => this.#open(source, registered);
  }

  /** Empties the Secret of certificates that hooklet has made, which nobody needs any more. */
  async drop(signal: AbortSignal): Promise<void> {
    const { access, log } = this.#options;
    const source = await this.#source();
    if (source.type !== 'selfMade' || this.#users > 0) return;
    await dropSecret(secretPlace(source), { client: access.client, log, signal });
  }

  async #source(): Promise<CertificateSource> {
    const { settings, place } = this.#options;
    const { admission, certificates: choice, authorityMs, leafMs } = settings;
    const { configurationName } = admission;
    // Two installations in one namespace have certificates of their own.
    const name = configurationName === DEFAULT_NAME ? 'hooklet' : configurationName;
    return certificateSource({
      choice,
      files: filesOf(admission),
      namespace: place.namespace,
      name,
      authorityMs,
      leafMs,
    });
  }

  #sharing(source: CertificateSource): OpenCertificates {
    return (registered) => {
      this.#registered.push(registered);
      const shared = (this.#shared ??= this.#open(source, {
        bundles: () => joinedBundles(this.#registered),
        changes: (signal) => this.#changes.follow(signal),
      }));
      return certificatesOf(shared, async (signal) => this.#use(shared, registered, signal));
    };
  }

  #open(source: CertificateSource, registered: RegisteredBundles): Certificates {
    const { settings, place, access, metrics, events, settleMs, tickMs, log } = this.#options;
    const services = [settings.admission, settings.conversion]
      .map((server) => place.addressOf(server))
      .filter((address) => address.type === 'service');
    const names = { services, hosts: place.hosts };
    const { client, watches } = access;
    const times = { ...(settleMs !== undefined && { settleMs }), ...(tickMs !== undefined && { tickMs }) };
    return openCertificates({ source, client, watches, registered, names, log, metrics, events, ...times });
  }

  async #use(shared: Certificates, registered: RegisteredBundles, signal: AbortSignal): Promise<void> {
    const follow = async (): Promise<void> => {
      for await (const _ of registered.changes(signal)) this.#changes.notify();
    };
    this.#users += 1;
    const running = (this.#running ??= shared.run(this.#ended.signal));
    // What this one has registered counts from now on.
    this.#changes.notify();
    await Promise.race([running, Promise.all([follow(), aborted(signal)])]);
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#ended.abort();
    await running;
  }
}

function filesOf({ serverCert, serverKey, ca }: ConversionSettings) {
  return { cert: serverCert, key: serverKey, ca };
}
