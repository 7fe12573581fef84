/*
 * Webhooks of this replica: for admission and for conversion a listener, its certificates, and what is registered with
 * the API server. On every replica, leader or not. Nothing is opened before a hook has a webhook or, in the cluster, an
 * `http` binding, which the listener for admission serves too. What an earlier version of the hooks has registered is
 * taken back without a listener, and the certificates with it (`left-over.ts`). What must hold: a replica registers webhooks only when it could answer them, and at
 * its end it takes none back, for others may answer.
 */

import type { EventRecorder } from '../../kube/coordination/event-recorder.ts';
import { isAskBinding } from '../../hook/ask-binding.ts';
import { runAll } from '../../lib/run-all.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { HealthCheck } from '../../server/health.ts';
import { AdmissionRoutes } from './admission-routes.ts';
import { AdmissionWebhooks } from './admission-webhooks.ts';
import type { AskedHooks } from './asked-hooks.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import { ConversionRoutes } from './conversion-routes.ts';
import { ConversionWebhooks } from './conversion-webhooks.ts';
import type { HttpDoor } from '../http/http-triggers.ts';
import { WebhookCertificates } from './certificates.ts';
import { isLeftOver, takeBack } from './left-over.ts';
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
  /** Absent: as the certificates say. */
  readonly tickMs?: number | undefined;
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
 * Resolves when a hook has an admission webhook or an `http` binding that can be served; undefined: `signal` aborted. What
 * an earlier version of the hooks has registered is taken back meanwhile.
 */
async function openAdmission(options: Placed, signal: AbortSignal): Promise<AdmissionWebhooks | undefined> {
  const { asked, certificates } = options;
  const routes = new AdmissionRoutes(options);
  const isServed = (): boolean => routes.webhooks().length > 0 || isTriggered(options);
  let hasLooked = false;
  const isWanted = async (): Promise<boolean> => {
    if (isServed()) return true;
    if (hasLooked || !asked.isLoaded()) return false;
    hasLooked = true;
    return isLeftOver(options, signal);
  };
  if (!(await untilWanted(asked, isWanted, signal))) return undefined;
  if (!isServed()) {
    await takeBack(options, isServed, signal);
    const isUsed = isServed() || asked.hooks().some(({ bindings }) => bindings.some(isAskBinding));
    if (!isUsed) await certificates.drop(signal);
    if (!(await untilWanted(asked, async () => isServed(), signal))) return undefined;
  }
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
