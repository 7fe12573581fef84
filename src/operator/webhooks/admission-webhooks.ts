import { hostname } from 'node:os';
import { KubeError } from '../../errors.ts';
import { apiPath } from '../../kube/api-path.ts';
import type { HealthCheck } from '../../server/health.ts';
import type { ConfigurationKind } from '../../sources/admission/configuration-kind.ts';
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
  readonly #registrations: ReadonlyMap<string, Registration>;
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
      },
    });
    this.#registrations = new Map(CONFIGURATIONS.map((kind) => [`registration ${kind}`, this.#register(kind)]));
  }

  /** The checks of `/readyz`. Hooks run without the callers of `http` bindings: for these alone, no server is needed. */
  readiness(): readonly HealthCheck[] {
    return this.#served.readiness({ isNeeded: this.#options.routes.webhooks().length > 0 });
  }

  /** Works until `signal` aborts and every open request is answered. */
  async run(signal: AbortSignal): Promise<void> {
    const registrations = [...this.#registrations.values()];
    await this.#served.run(
      registrations.map((registration) => async (stop) => registration.run(stop)),
      signal,
    );
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
      isAble: () => this.#served.canAnswer(routes.webhooks()),
      bundleFor: (registered) => this.#served.bundleFor(registered),
      isGone: async (writer, signal) => isPodGone(this.#options, writer, signal),
      onChange: this.#served.noteRegistered,
      monotonicMs: () => performance.now(),
      log,
    });
  }
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
