/*
 * Webhooks of this replica: for admission and for conversion a listener, its certificates, and what is registered with
 * the API server. On every replica, leader or not. Nothing is opened before a hook has a webhook or, in the cluster, an
 * `http` binding, which the listener for admission serves too, or a webhook for admission is registered that hooklet
 * wrote before: then it is taken back. What must hold: a replica registers webhooks only when it could answer them, and at
 * its end it takes none back, for others may answer.
 */

import type { EventRecorder } from '../../kube/coordination/event-recorder.ts';
import { isAskBinding } from '../../hook/ask-binding.ts';
import { resourcePath } from '../../kube/kind.ts';
import { asJsonObject } from '../../kube/object.ts';
import { runAll } from '../../lib/run-all.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { HealthCheck } from '../../server/health.ts';
import { configurationKind } from '../../sources/admission/configuration-kind.ts';
import { readRegistered } from '../../sources/admission/registered.ts';
import { AdmissionRoutes } from './admission-routes.ts';
import { AdmissionWebhooks, CONFIGURATIONS, configurationName } from './admission-webhooks.ts';
import type { AskedHooks } from './asked-hooks.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import { ConversionRoutes } from './conversion-routes.ts';
import { ConversionWebhooks } from './conversion-webhooks.ts';
import type { HttpDoor } from '../http/http-triggers.ts';
import { WebhookCertificates } from './certificates.ts';
import { webhookPlace, type WebhookPlace } from './place.ts';
import type { WebhookSettings } from './settings.ts';

export interface WebhooksOptions {
  readonly settings: WebhookSettings;
  readonly asked: AskedHooks;
  /** The requests to `/trigger/`; absent: there are none. */
  readonly triggers?: HttpDoor | undefined;
  readonly access: ClusterAccess;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly metrics: Metrics;
  readonly events: Pick<EventRecorder, 'record'>;
  /** How long webhooks are answered after the signal to stop. */
  readonly drainMs: number;
  /** Absent: as the certificates say. */
  readonly settleMs?: number | undefined;
  /** Whether requests are logged as shell-operator does; default false. */
  readonly logCompat?: boolean;
  readonly log: Logger;
}

/** The webhooks of this replica. */
export interface Webhooks {
  /** None while there are no webhooks. */
  readiness(): readonly HealthCheck[];
  /** Serves until `signal` aborts and every open request is answered. */
  run(signal: AbortSignal): Promise<void>;
}

const NOT_OPEN: HealthCheck = { name: 'webhook-server', isOk: false, message: 'it does not listen yet' };

/** Prepares the webhooks; nothing happens before `run`. */
export function openWebhooks(options: WebhooksOptions): Webhooks {
  const { asked } = options;
  const open: { readiness(): readonly HealthCheck[] }[] = [];
  return {
    readiness: () => {
      const isAwaited = open.length === 0 && asked.hooks().some(({ bindings }) => bindings.some(isAskBinding));
      return isAwaited ? [NOT_OPEN] : open.flatMap((webhooks) => webhooks.readiness());
    },
    run: async (signal) => {
      const place = webhookPlace(options);
      const placed = { ...options, place, certificates: new WebhookCertificates({ ...options, place }) };
      const parts = [openAdmission, openConversion].map((openPart) => async (stop: AbortSignal) => {
        const webhooks = await openPart(placed, stop);
        if (webhooks === undefined) return;
        open.push(webhooks);
        await webhooks.run(stop);
      });
      await runAll(parts, signal);
    },
  };
}

interface Placed extends WebhooksOptions {
  readonly place: WebhookPlace;
  readonly certificates: WebhookCertificates;
}

/**
 * Resolves when a hook has an admission webhook or an `http` binding that can be served, or a webhook is registered that
 * is ours; undefined: `signal` aborted.
 */
async function openAdmission(options: Placed, signal: AbortSignal): Promise<AdmissionWebhooks | undefined> {
  const { asked, certificates } = options;
  const routes = new AdmissionRoutes(options);
  let hasLooked = false;
  const isWanted = async (): Promise<boolean> => {
    if (routes.webhooks().length > 0 || isTriggered(options)) return true;
    if (hasLooked || !asked.isLoaded()) return false;
    hasLooked = true;
    return isLeftOver(options, signal);
  };
  if (!(await untilWanted(asked, isWanted, signal))) return undefined;
  return new AdmissionWebhooks({ ...options, routes, openCertificates: await certificates.admission() });
}

/** Resolves when a hook converts something; undefined: `signal` aborted. */
async function openConversion(options: Placed, signal: AbortSignal): Promise<ConversionWebhooks | undefined> {
  const { asked, certificates } = options;
  const routes = new ConversionRoutes(options);
  const isWanted = async (): Promise<boolean> => {
    routes.update();
    return routes.steps.size > 0;
  };
  if (!(await untilWanted(asked, isWanted, signal))) return undefined;
  return new ConversionWebhooks({ ...options, routes, openCertificates: await certificates.conversion() });
}

async function untilWanted(asked: AskedHooks, isWanted: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  // From before the first look, so that no load is missed.
  const changes = asked.changes(signal);
  let wanted = await isWanted();
  if (!wanted) {
    for await (const _ of changes) {
      wanted = await isWanted();
      if (wanted) break;
    }
  }
  return wanted && !signal.aborted;
}

/**
 * Whether a hook has an `http` binding, and there may be certificates. Outside of a cluster none are made for it, since
 * they would be kept in the namespace that a kubeconfig happens to name.
 */
function isTriggered({ triggers, settings, place }: Placed): boolean {
  const mayServe = place.podNamespace !== undefined || settings.certificates.type !== 'auto';
  return mayServe && triggers?.isWanted() === true;
}

/** Whether an earlier version of these hooks had webhooks, which nobody would answer now. */
async function isLeftOver({ access, settings, place, log }: Placed, signal: AbortSignal): Promise<boolean> {
  // From outside of a cluster it is not known whose they are.
  if (place.podNamespace === undefined) return false;
  const name = configurationName(settings);
  const found = CONFIGURATIONS.map(async (kind) => {
    if (!(await mayRead(access, kind, { name, signal }))) return false;
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

interface Reading {
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Asks first, as every account may: hooks without webhooks are deployed without this right, and a refusal is counted. */
async function mayRead(
  { client }: ClusterAccess,
  configuration: (typeof CONFIGURATIONS)[number],
  { name, signal }: Reading,
): Promise<boolean> {
  const { group, plural: resource } = configurationKind(configuration);
  const apiVersion = 'authorization.k8s.io/v1';
  const spec = { resourceAttributes: { group, resource, verb: 'get', name } };
  const body = JSON.stringify({ apiVersion, kind: 'SelfSubjectAccessReview', spec });
  const path = `/apis/${apiVersion}/selfsubjectaccessreviews`;
  const review = asJsonObject(await client.request({ method: 'POST', path, body }, signal));
  return asJsonObject(review['status'])['allowed'] === true;
}
