import { aborted } from '../../lib/aborted.ts';
import type { HealthCheck } from '../../server/health.ts';
import { converterConfig } from '../../sources/conversion/crd-conversion.ts';
import { CrdRegistration } from '../../sources/conversion/crd-registration.ts';
import type { ConversionRoutes } from './conversion-routes.ts';
import type { WebhooksOptions } from './open-webhooks.ts';
import type { OpenCertificates } from './certificates.ts';
import { conversionAddress, type WebhookPlace } from './place.ts';
import { converterAnswers } from './rival-converter.ts';
import { ServedWebhooks } from './served-webhooks.ts';

const FLAGS = { address: '--conversion-webhook-listen-address', port: '--conversion-webhook-listen-port' };

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

/** The converters of this replica: their server, and the registration of each CustomResourceDefinition. */
export class ConversionWebhooks {
  readonly #options: ConversionWebhooksOptions;
  /** By CustomResourceDefinition. */
  readonly #kept = new Map<string, Kept>();
  readonly #served: ServedWebhooks;

  constructor(options: ConversionWebhooksOptions) {
    this.#options = options;
    const { settings, routes, asked, drainMs, log, openCertificates } = options;
    routes.update();
    this.#served = new ServedWebhooks({
      asked,
      drainMs,
      log,
      openCertificates,
      name: 'conversions',
      prefix: 'conversion',
      server: settings.conversion,
      flags: FLAGS,
      routeOf: routes.routeOf,
      registrations: () =>
        new Map([...this.#kept].map(([crd, { registration }]) => [`converter ${crd}`, registration])),
      bindings: () => [...routes.steps.values()].flat(),
      nameOf: ({ hook, binding }) => `${hook}/${binding.name}`,
      onLoaded: (signal) => {
        routes.update();
        this.#adapt(signal);
      },
    });
  }

  /** The checks of `/readyz`. */
  readiness(): readonly HealthCheck[] {
    return this.#served.readiness();
  }

  /** Works until `signal` aborts and every open request is answered. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#served.run([async (stop) => this.#keepAll(stop)], signal);
  }

  async #keepAll(signal: AbortSignal): Promise<void> {
    this.#adapt(signal);
    try {
      await aborted(signal);
    } finally {
      for (const { ends } of this.#kept.values()) ends.abort();
      await Promise.all([...this.#kept.values()].map(async ({ running }) => running));
    }
  }

  /** Keeps a registration for each definition that a hook has rules for. */
  #adapt(signal: AbortSignal): void {
    const { asked, routes, log } = this.#options;
    for (const crd of routes.steps.keys()) if (!this.#kept.has(crd)) this.#keep(crd, signal);
    for (const [crd, { ends }] of this.#kept) {
      // A broken hook may have rules too: its converter is kept until it is known.
      if (routes.steps.has(crd) || asked.hasBroken()) continue;
      ends.abort();
      this.#kept.delete(crd);
      this.#options.metrics.conversionRegistered.remove({ crd });
      log.warn({ crd, advice: ADVICE(crd) }, 'no hook converts this any more, but its objects are still sent here');
    }
  }

  #keep(crd: string, signal: AbortSignal): void {
    const registration = this.#register(crd);
    const ends = new AbortController();
    const running = registration.run(AbortSignal.any([signal, ends.signal]));
    this.#kept.set(crd, { registration, ends, running });
    this.#count(crd);
  }

  #register(crdName: string): CrdRegistration {
    const { settings, place, access, routes, events, log } = this.#options;
    return new CrdRegistration({
      crdName,
      owner: `${place.namespace}/${settings.admission.configurationName}`,
      client: access.client,
      watches: access.watches,
      clientConfig: () => {
        const address = conversionAddress(place, settings.conversion, this.#served.port);
        return converterConfig(address, crdName);
      },
      isAble: () => {
        const steps = routes.steps.get(crdName) ?? [];
        return steps.length > 0 && this.#served.canAnswer(steps);
      },
      bundleFor: (registered) => this.#served.bundleFor(registered),
      answers: async (converter, signal) => converterAnswers(converter, place.podNamespace !== undefined, signal),
      onContested: (problem) => {
        const message = `the converter of ${crdName} ${problem}`;
        events.record({ type: 'Warning', reason: 'ConverterContested', message });
      },
      onChange: () => {
        this.#count(crdName);
        this.#served.noteRegistered();
      },
      monotonicMs: () => performance.now(),
      log,
    });
  }

  #count(crd: string): void {
    const kept = this.#kept.get(crd);
    if (kept === undefined) return;
    this.#options.metrics.conversionRegistered.of({ crd }).value = kept.registration.isRegistered ? 1 : 0;
  }
}

const ADVICE = (crd: string): string =>
  `bring the hook back, or, once every object is stored in a version that is served as it is, end it with kubectl patch crd ${crd} --type merge -p '{"spec":{"conversion":{"strategy":"None","webhook":null}}}'`;
