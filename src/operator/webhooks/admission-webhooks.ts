import { hostname } from 'node:os';
import { KubeError } from '../../errors.ts';
import { apiPath } from '../../kube/api-path.ts';
import type { HealthCheck } from '../../server/health.ts';
import type { ConfigurationKind } from '../../sources/admission/configuration-kind.ts';
import type { Refusal } from '../../sources/admission/registered.ts';
import { Registration } from '../../sources/admission/registration.ts';
import { wantedWebhooks } from '../../sources/admission/wanted-webhooks.ts';
import type { AdmissionRoutes } from './admission-routes.ts';
import type { OpenCertificates } from './certificates.ts';
import type { WebhooksOptions } from './open-webhooks.ts';
import type { WebhookPlace } from './place.ts';
import { ServedWebhooks } from './served-webhooks.ts';

/** The kinds of webhook configurations, in the order in which the API server calls them. */
export const CONFIGURATIONS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const;

const FLAGS = { address: '--validating-webhook-listen-address', port: '--validating-webhook-listen-port' };

export interface AdmissionWebhooksOptions extends WebhooksOptions {
  readonly routes: AdmissionRoutes;
  readonly place: WebhookPlace;
  readonly openCertificates: OpenCertificates;
}

/** The webhooks for admission of this replica: their server, and both webhook configurations. */
export class AdmissionWebhooks {
  readonly #options: AdmissionWebhooksOptions;
  /** By the names of their checks. */
  readonly #registrations = new Map<string, Registration>();
  readonly #served: ServedWebhooks;
  /** Increases when hooks were loaded again. */
  #revision = 0;

  constructor(options: AdmissionWebhooksOptions) {
    this.#options = options;
    const { settings, routes, triggers } = options;
    routes.update();
    this.#served = new ServedWebhooks({
      ...options,
      name: 'admission webhooks',
      prefix: 'webhook',
      server: settings.admission,
      flags: FLAGS,
      routeOf: routes.routeOf,
      drained: triggers?.drained,
      registrations: () => this.#registrations,
      bindings: () => routes.webhooks(),
      nameOf: ({ binding }) => binding.name,
      onLoaded: () => {
        routes.update();
        this.#revision += 1;
        this.#count();
      },
    });
    for (const kind of CONFIGURATIONS) this.#registrations.set(`registration ${kind}`, this.#register(kind));
  }

  /** The checks of `/readyz`. Hooks run without the callers of `http` bindings: for these alone, no server is needed. */
  readiness(): readonly HealthCheck[] {
    const isNeeded = this.#options.routes.webhooks().length > 0;
    return [...this.#served.readiness({ isNeeded }), ...this.#refusals().map(refusedCheck)];
  }

  /** Works until `signal` aborts and every open request is answered. */
  async run(signal: AbortSignal): Promise<void> {
    const registrations = [...this.#registrations.values()];
    await this.#served.run(
      registrations.map((registration) => async (stop) => registration.run(stop)),
      signal,
    );
  }

  #refusals(): readonly Refusal[] {
    return [...this.#registrations.values()].flatMap(({ refusals }) => refusals);
  }

  /** Counts which webhooks are registered as their hooks want them. */
  #count(): void {
    const { routes, metrics } = this.#options;
    const registered = [...this.#registrations.values()].map((registration) => registration.registered());
    metrics.webhookRegistered.clear();
    for (const { hook, binding } of routes.webhooks()) {
      const isRegistered = registered.some((names) => names.has(binding.name));
      metrics.webhookRegistered.set({ hook, binding: binding.name }, isRegistered ? 1 : 0);
    }
  }

  #register(kind: ConfigurationKind): Registration {
    const { settings, place, access, env, asked, routes, log } = this.#options;
    const options = () => ({
      address: place.addressOf(settings.admission, this.#served.port),
      failurePolicy: settings.admission.failurePolicy,
      ownNamespace: place.podNamespace,
      matchOwnNamespace: settings.admission.matchOwnNamespace,
    });
    const type = kind === 'MutatingWebhookConfiguration' ? 'kubernetesMutating' : 'kubernetesValidating';
    return new Registration({
      kind,
      name: configurationName(settings),
      namespace: place.namespace,
      writer: env['POD_NAME'] ?? hostname(),
      client: access.client,
      watches: access.watches,
      wanted: () => ({
        webhooks: wantedWebhooks(
          routes.webhooks().flatMap(({ binding }) => (binding.type === type ? binding : [])),
          options(),
        ),
        isPartial: asked.hasBroken(),
        revision: this.#revision,
      }),
      hookOf: (webhook) => routes.webhooks().find(({ binding }) => binding.name === webhook)?.hook ?? '',
      isAble: () => this.#served.canAnswer(routes.webhooks()),
      bundleFor: (registered) => this.#served.bundleFor(registered),
      isGone: async (writer, signal) => isPodGone(this.#options, writer, signal),
      onChange: () => {
        this.#count();
        this.#served.noteRegistered();
      },
      monotonicMs: () => performance.now(),
      log,
    });
  }
}

/** Fails nothing: the other webhooks are registered, and no replica could register this one. */
function refusedCheck({ webhook, hook, reason }: Refusal): HealthCheck {
  const message = `the API server refuses what ${hook} wants, so it is not registered, or as before: ${reason}`;
  return { name: `webhook ${webhook}`, isOk: true, isTolerated: true, message };
}

/** Whether a Pod of this installation is gone for good; not known is no. */
export async function isPodGone(
  { place, access }: Pick<AdmissionWebhooksOptions, 'place' | 'access'>,
  pod: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (place.podNamespace === undefined) return false;
  const path = apiPath('api', 'v1', 'namespaces', place.podNamespace, 'pods', pod);
  try {
    await access.client.request({ method: 'GET', path }, signal);
    return false;
  } catch (error) {
    return error instanceof KubeError && error.status === 404;
  }
}

/** The name of both webhook configurations. */
export function configurationName({ admission }: WebhooksOptions['settings']): string {
  return `${admission.configurationName}-hooks`;
}
