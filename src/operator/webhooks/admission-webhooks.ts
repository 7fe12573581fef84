import { hostname } from 'node:os';
import { KubeError } from '../../errors.ts';
import { apiPath } from '../../kube/api-path.ts';
import { readSmallFile } from '../../kube/credentials/read-file.ts';
import { aborted } from '../../lib/aborted.ts';
import { Changes } from '../../lib/changes.ts';
import { runAll } from '../../lib/run-all.ts';
import { bundleToRegister, joinedBundles } from '../../server/certificates/bundle.ts';
import type { Certificates, RegisteredBundles } from '../../server/certificates/certificates.ts';
import type { HealthCheck } from '../../server/health.ts';
import type { ConfigurationKind } from '../../sources/admission/configuration-kind.ts';
import { Registration } from '../../sources/admission/registration.ts';
import { wantedWebhooks } from '../../sources/admission/wanted-webhooks.ts';
import type { AdmissionRoutes } from './admission-routes.ts';
import type { WebhooksOptions } from './open-webhooks.ts';
import { WebhookListener } from './listener.ts';
import type { WebhookPlace } from './place.ts';

/** The kinds of webhook configurations, in the order in which the API server calls them. */
export const CONFIGURATIONS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const;

const FLAGS = { address: '--validating-webhook-listen-address', port: '--validating-webhook-listen-port' };
const MAX_PEM_BYTES = 1024 * 1024;
const MAX_SHOWN = 5;

export interface AdmissionWebhooksOptions extends WebhooksOptions {
  readonly routes: AdmissionRoutes;
  readonly place: WebhookPlace;
  readonly openCertificates: (registered: RegisteredBundles) => Certificates;
}

/** The listener, the certificates and the registrations of admission webhooks at work. */
export class AdmissionWebhooks {
  readonly #options: AdmissionWebhooksOptions;
  readonly #registrations: readonly Registration[];
  readonly #certificates: Certificates;
  readonly #listener: WebhookListener;
  readonly #registered = new Changes();
  /** Increases when hooks were loaded again. */
  #revision = 0;
  #isStopping = false;

  constructor(options: AdmissionWebhooksOptions) {
    this.#options = options;
    const { settings, routes, triggers, log, drainMs } = options;
    routes.update();
    this.#certificates = options.openCertificates({
      bundles: () => joinedBundles(this.#registrations),
      changes: (signal) => this.#registered.follow(signal),
    });
    this.#registrations = CONFIGURATIONS.map((kind) => this.#register(kind));
    const { listenAddress: address, listenPort: port, clientCa } = settings.admission;
    this.#listener = new WebhookListener({
      name: 'admission webhooks',
      address,
      port,
      flags: FLAGS,
      certificates: this.#certificates,
      readClientCa: async () => readAll(clientCa),
      routeOf: routes.routeOf,
      triggers,
      drainMs,
      drained: triggers?.drained,
      onOpen: () => this.#look(),
      log,
    });
  }

  /** The checks of `/readyz`. Registrations fail none: somebody else may keep them. */
  readiness(): readonly HealthCheck[] {
    const waiting = this.#waiting();
    const stopping = this.#isStopping ? 'the operator stops' : undefined;
    const server = stopping ?? this.#listener.problem;
    // Hooks run without the callers of http bindings: these are told of by the message alone.
    const isNeeded = this.#options.routes.webhooks().length > 0;
    const shown = waiting.slice(0, MAX_SHOWN).join(', ');
    return [
      { name: 'webhook-server', isOk: server === undefined || !isNeeded, message: server ?? '' },
      { ...check('webhook-certificates', this.#certificates.problem), ...(!isNeeded && { isOk: true }) },
      check('webhook-snapshots', waiting.length === 0 ? undefined : `not complete yet: ${shown}`),
      ...this.#registrations.flatMap(({ kind, problem }) =>
        problem === undefined ? [] : [{ name: `registration ${kind}`, isOk: true, message: problem }],
      ),
    ];
  }

  /** Works until `signal` aborts and every open request is answered. */
  async run(signal: AbortSignal): Promise<void> {
    // Certificates are renewed as long as requests are answered.
    const ended = new AbortController();
    const parts = [
      async (stop: AbortSignal) => this.#listener.run(stop).finally(() => ended.abort()),
      async () => this.#certificates.run(ended.signal),
      async (stop: AbortSignal) => this.#follow(stop),
      ...this.#registrations.map((registration) => async (stop: AbortSignal) => registration.run(stop)),
    ];
    signal.addEventListener('abort', () => (this.#isStopping = true), { once: true });
    await runAll(parts, signal);
  }

  /** Looks again after each change of the hooks, of the certificates, or of what they show. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { asked, routes } = this.#options;
    const hooks = async (): Promise<void> => {
      for await (const _ of asked.changes(signal)) {
        routes.update();
        this.#revision += 1;
        this.#look();
        void this.#whenKnown(signal);
      }
    };
    const certificates = async (): Promise<void> => {
      for await (const _ of this.#certificates.changes(signal)) this.#look();
    };
    void this.#whenKnown(signal);
    await Promise.all([hooks(), certificates()]);
    await aborted(signal);
  }

  /** What could not be registered before snapshots were complete, can be afterwards. */
  async #whenKnown(signal: AbortSignal): Promise<void> {
    const { asked, routes } = this.#options;
    const all = routes.webhooks().map(async ({ hook, binding }) => asked.ready(hook, binding, signal));
    await Promise.allSettled(all);
    this.#look();
  }

  #look(): void {
    for (const registration of this.#registrations) registration.look();
  }

  #register(kind: ConfigurationKind): Registration {
    const { settings, place, access, env, asked, log } = this.#options;
    const options = () => ({
      address: place.addressOf(settings.admission, this.#listener.port),
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
          this.#options.routes.webhooks().flatMap(({ binding }) => (binding.type === type ? binding : [])),
          options(),
        ),
        isPartial: asked.hasBroken(),
        revision: this.#revision,
      }),
      isAble: () => this.#listener.problem === undefined && this.#waiting().length === 0,
      bundleFor: (registered) => this.#bundleFor(registered),
      isGone: async (writer, signal) => this.#isGone(writer, signal),
      onChange: this.#registered.notify,
      monotonicMs: () => performance.now(),
      log,
    });
  }

  #bundleFor(registered: string): string | undefined {
    const { caBundle } = this.#certificates;
    return caBundle === undefined ? undefined : bundleToRegister(registered, caBundle, Date.now());
  }

  /** The webhooks whose snapshots are not complete. */
  #waiting(): readonly string[] {
    const { routes, asked } = this.#options;
    return routes.webhooks().flatMap(({ hook, binding }) => (asked.isKnown(hook, binding) ? [] : binding.name));
  }

  /** Whether a Pod is gone for good; not known is no. */
  async #isGone(pod: string, signal: AbortSignal): Promise<boolean> {
    const { place, access } = this.#options;
    if (place.podNamespace === undefined) return false;
    const path = apiPath('api', 'v1', 'namespaces', place.podNamespace, 'pods', pod);
    try {
      await access.client.request({ method: 'GET', path }, signal);
      return false;
    } catch (error) {
      return error instanceof KubeError && error.status === 404;
    }
  }
}

/** The name of both webhook configurations. */
export function configurationName({ admission }: WebhooksOptions['settings']): string {
  return `${admission.configurationName}-hooks`;
}

/** A check that fails with a problem. */
export function check(name: string, problem: string | undefined): HealthCheck {
  return { name, isOk: problem === undefined, message: problem ?? '' };
}

/** Reads the certificates of which one must have signed that of a caller. */
export async function readAll(paths: readonly string[]): Promise<readonly string[]> {
  return Promise.all(paths.map(async (path) => (await readSmallFile(path, MAX_PEM_BYTES)).toString('utf8')));
}
