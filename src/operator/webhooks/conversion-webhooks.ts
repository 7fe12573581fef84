import { aborted } from '../../lib/aborted.ts';
import { Changes } from '../../lib/changes.ts';
import { runAll } from '../../lib/run-all.ts';
import { bundleToRegister, joinedBundles } from '../../server/certificates/bundle.ts';
import type { Certificates } from '../../server/certificates/certificates.ts';
import type { HealthCheck } from '../../server/health.ts';
import type { ConversionStep } from '../../sources/conversion/chain.ts';
import { converterConfig } from '../../sources/conversion/crd-conversion.ts';
import { CrdRegistration } from '../../sources/conversion/crd-registration.ts';
import { check, readAll } from './admission-webhooks.ts';
import type { ConversionRoutes } from './conversion-routes.ts';
import type { WebhooksOptions } from './open-webhooks.ts';
import type { OpenCertificates } from './certificates.ts';
import { WebhookListener } from './listener.ts';
import { conversionAddress, type WebhookPlace } from './place.ts';

const FLAGS = { address: '--conversion-webhook-listen-address', port: '--conversion-webhook-listen-port' };
const MAX_SHOWN = 5;

export interface ConversionWebhooksOptions extends WebhooksOptions {
  readonly routes: ConversionRoutes;
  readonly place: WebhookPlace;
  readonly openCertificates: OpenCertificates;
}

interface Kept {
  readonly registration: CrdRegistration;
  readonly ends: AbortController;
  readonly running: Promise<void>;
}

/** The listener, the certificates and the registrations of converters at work. */
export class ConversionWebhooks {
  readonly #options: ConversionWebhooksOptions;
  /** By CustomResourceDefinition. */
  readonly #kept = new Map<string, Kept>();
  readonly #certificates: Certificates;
  readonly #listener: WebhookListener;
  readonly #registered = new Changes();
  #isStopping = false;

  constructor(options: ConversionWebhooksOptions) {
    this.#options = options;
    const { settings, routes, log, drainMs } = options;
    routes.update();
    this.#certificates = options.openCertificates({
      bundles: () => joinedBundles([...this.#kept.values()].map(({ registration }) => registration)),
      changes: (signal) => this.#registered.follow(signal),
    });
    const { listenAddress: address, listenPort: port, clientCa } = settings.conversion;
    this.#listener = new WebhookListener({
      name: 'conversions',
      address,
      port,
      flags: FLAGS,
      certificates: this.#certificates,
      readClientCa: async () => readAll(clientCa),
      routeOf: routes.routeOf,
      drainMs,
      onOpen: () => this.#look(),
      log,
    });
  }

  /** The checks of `/readyz`. Registrations fail none: somebody else may keep them. */
  readiness(): readonly HealthCheck[] {
    const stopping = this.#isStopping ? 'the operator stops' : undefined;
    const waiting = this.#waiting([...this.#options.routes.steps.values()].flat());
    const shown = waiting.slice(0, MAX_SHOWN).join(', ');
    return [
      check('conversion-server', stopping ?? this.#listener.problem),
      check('conversion-certificates', this.#certificates.problem),
      check('conversion-snapshots', waiting.length === 0 ? undefined : `not complete yet: ${shown}`),
      ...[...this.#kept].flatMap(([crd, { registration }]) =>
        registration.problem === undefined
          ? []
          : [{ name: `converter ${crd}`, isOk: true, message: registration.problem }],
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
    ];
    signal.addEventListener('abort', () => (this.#isStopping = true), { once: true });
    await runAll(parts, signal);
  }

  /** Keeps a registration for each definition that a hook has rules for. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { asked, routes } = this.#options;
    const hooks = async (): Promise<void> => {
      for await (const _ of asked.changes(signal)) {
        routes.update();
        this.#adapt(signal);
      }
    };
    const certificates = async (): Promise<void> => {
      for await (const _ of this.#certificates.changes(signal)) this.#look();
    };
    this.#adapt(signal);
    try {
      await Promise.all([hooks(), certificates(), aborted(signal)]);
    } finally {
      for (const { ends } of this.#kept.values()) ends.abort();
      await Promise.all([...this.#kept.values()].map(async ({ running }) => running));
    }
  }

  #adapt(signal: AbortSignal): void {
    const { asked, routes, log } = this.#options;
    for (const crd of routes.steps.keys()) if (!this.#kept.has(crd)) this.#keep(crd, signal);
    for (const [crd, { ends }] of this.#kept) {
      // A broken hook may have rules too: its converter is kept until it is known.
      if (routes.steps.has(crd) || asked.hasBroken()) continue;
      ends.abort();
      this.#kept.delete(crd);
      log.warn({ crd, advice: ADVICE(crd) }, 'no hook converts this any more, but its objects are still sent here');
    }
    this.#look();
    void this.#whenKnown(signal);
  }

  #keep(crd: string, signal: AbortSignal): void {
    const registration = this.#register(crd);
    const ends = new AbortController();
    const running = registration.run(AbortSignal.any([signal, ends.signal]));
    this.#kept.set(crd, { registration, ends, running });
  }

  /** What could not be registered before snapshots were complete, can be afterwards. */
  async #whenKnown(signal: AbortSignal): Promise<void> {
    const { asked, routes } = this.#options;
    const steps = [...routes.steps.values()].flat();
    await Promise.allSettled(steps.map(async ({ hook, binding }) => asked.ready(hook, binding, signal)));
    this.#look();
  }

  #look(): void {
    for (const { registration } of this.#kept.values()) registration.look();
  }

  #register(crdName: string): CrdRegistration {
    const { settings, place, access, routes, log } = this.#options;
    return new CrdRegistration({
      crdName,
      client: access.client,
      watches: access.watches,
      clientConfig: () => {
        const address = conversionAddress(place, settings.conversion, this.#listener.port);
        return converterConfig(address, crdName);
      },
      isAble: () => {
        const steps = routes.steps.get(crdName) ?? [];
        return this.#listener.problem === undefined && steps.length > 0 && this.#waiting(steps).length === 0;
      },
      bundleFor: (registered) => this.#bundleFor(registered),
      onChange: this.#registered.notify,
      monotonicMs: () => performance.now(),
      log,
    });
  }

  #bundleFor(registered: string): string | undefined {
    const { caBundle } = this.#certificates;
    return caBundle === undefined ? undefined : bundleToRegister(registered, caBundle, Date.now());
  }

  /** The bindings whose snapshots are not complete. */
  #waiting(steps: readonly ConversionStep[]): readonly string[] {
    const { asked } = this.#options;
    return [
      ...new Set(steps.flatMap(({ hook, binding }) => (asked.isKnown(hook, binding) ? [] : `${hook}/${binding.name}`))),
    ];
  }
}

const ADVICE = (crd: string): string =>
  `bring the hook back, or, once every object is stored in a version that is served as it is, end it with kubectl patch crd ${crd} --type merge -p '{"spec":{"conversion":{"strategy":"None","webhook":null}}}'`;
