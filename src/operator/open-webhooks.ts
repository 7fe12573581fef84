/*
 * Admission webhooks of this replica: the listener, its certificates, and what is registered with the API server. On
 * every replica, leader or not. Nothing is opened before a hook has a webhook, or one is registered that hooklet wrote
 * before: then it is taken back. What must hold: a replica registers webhooks only when it could answer them, and at its
 * end it takes none back, for others may answer.
 */

import type { EventRecorder } from '../kube/coordination/event-recorder.ts';
import { resourcePath } from '../kube/kind.ts';
import { asJsonObject } from '../kube/object.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { certificateSource } from '../server/certificates/certificate-source.ts';
import type { Certificates, RegisteredBundles } from '../server/certificates/certificates.ts';
import { openCertificates } from '../server/certificates/open-certificates.ts';
import type { HealthCheck } from '../server/health.ts';
import { configurationKind } from '../sources/admission/configuration-kind.ts';
import { readRegistered } from '../sources/admission/registered.ts';
import { AdmissionRoutes } from './admission-routes.ts';
import { AdmissionWebhooks, CONFIGURATIONS, configurationName } from './admission-webhooks.ts';
import type { AskedHooks } from './asked-hooks.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { webhookPlace, type WebhookPlace } from './webhook-place.ts';
import type { WebhookSettings } from './webhook-settings.ts';

export interface WebhooksOptions {
  readonly settings: WebhookSettings;
  readonly asked: AskedHooks;
  readonly access: ClusterAccess;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly metrics: Metrics;
  readonly events: Pick<EventRecorder, 'record'>;
  /** How long webhooks are answered after the signal to stop. */
  readonly drainMs: number;
  readonly log: Logger;
}

/** The webhooks of this replica. */
export interface Webhooks {
  /** None while there are no webhooks. */
  readiness(): readonly HealthCheck[];
  /** Serves until `signal` aborts and every open request is answered. */
  run(signal: AbortSignal): Promise<void>;
}

/** Prepares the webhooks; nothing happens before `run`. */
export function openWebhooks(options: WebhooksOptions): Webhooks {
  let open: AdmissionWebhooks | undefined;
  const routes = new AdmissionRoutes(options);
  return {
    readiness: () => open?.readiness() ?? [],
    run: async (signal) => {
      const place = webhookPlace(options);
      await untilWanted(routes, { ...options, place }, signal);
      if (signal.aborted) return;
      const certificates = await certificatesOf(options, place);
      open = new AdmissionWebhooks({ ...options, routes, place, openCertificates: certificates });
      await open.run(signal);
    },
  };
}

interface Placed extends WebhooksOptions {
  readonly place: WebhookPlace;
}

/** Resolves when a hook has a webhook, or one is registered that is ours, or `signal` aborts. */
async function untilWanted(routes: AdmissionRoutes, options: Placed, signal: AbortSignal): Promise<void> {
  const { asked } = options;
  // From before the first look, so that no load is missed.
  const changes = asked.changes(signal);
  let hasLooked = false;
  const isWanted = async (): Promise<boolean> => {
    if (routes.webhooks().length > 0) return true;
    if (hasLooked || !asked.isLoaded()) return false;
    hasLooked = true;
    return isLeftOver(options, signal);
  };
  if (await isWanted()) return;
  for await (const _ of changes) if (await isWanted()) return;
}

/** Whether an earlier version of these hooks had webhooks, which nobody would answer now. */
async function isLeftOver({ access, settings, place, log }: Placed, signal: AbortSignal): Promise<boolean> {
  // From outside of a cluster it is not known whose they are.
  if (place.podNamespace === undefined) return false;
  const name = configurationName(settings);
  const found = CONFIGURATIONS.map(async (kind) => {
    const path = resourcePath(configurationKind(kind), { name });
    const registered = readRegistered(asJsonObject(await access.client.request({ method: 'GET', path }, signal)));
    return registered.isOurs && registered.namespace === place.podNamespace;
  });
  const results = await Promise.allSettled(found);
  for (const result of results) {
    if (result.status === 'rejected') log.debug({ err: result.reason }, 'no webhooks of an earlier version are known');
  }
  return results.some((result) => result.status === 'fulfilled' && result.value);
}

const DEFAULT_NAME = 'shell-operator-hooks';

async function certificatesOf(
  { settings, access, metrics, events, log }: WebhooksOptions,
  { namespace, hosts, addressOf }: WebhookPlace,
): Promise<(registered: RegisteredBundles) => Certificates> {
  const { admission, conversion, certificates: choice, authorityMs, leafMs } = settings;
  const files = { cert: admission.serverCert, key: admission.serverKey, ca: admission.ca };
  const { configurationName } = admission;
  // Two installations in one namespace have certificates of their own.
  const name = configurationName === DEFAULT_NAME ? 'hooklet' : configurationName;
  const source = await certificateSource({ choice, files, namespace, name, authorityMs, leafMs });
  const services = [admission, conversion].map(addressOf).filter((address) => address.type === 'service');
  const names = { services, hosts };
  return (registered) =>
    openCertificates({
      source,
      client: access.client,
      watches: access.watches,
      registered,
      names,
      log,
      metrics,
      events,
    });
}
