/*
 * What webhooks for admission and those for conversion have in common: a listener, its certificates, and registrations
 * with the API server. `AdmissionWebhooks` and `ConversionWebhooks` each create one, and say what is registered. All
 * registrations look again when hooks were loaded, when the certificates changed, when the listener opened, and when
 * snapshots are complete: each of them may allow a registration that was not possible before.
 */

import type { AskBinding } from '../../hook/ask-binding.ts';
import { aborted } from '../../lib/aborted.ts';
import { Changes } from '../../lib/changes.ts';
import { runAll } from '../../lib/run-all.ts';
import { bundleToRegister, joinedBundles } from '../../server/certificates/bundle.ts';
import type { Certificates } from '../../server/certificates/certificates.ts';
import type { HealthCheck } from '../../server/health.ts';
import { openWebhookServer, type WebhookServerOptions } from '../../server/webhook-server.ts';
import { CertifiedListener, type CertifiedListenerOptions } from '../certified-listener.ts';
import type { OpenCertificates } from './certificates.ts';
import type { WebhooksOptions } from './open-webhooks.ts';
import type { ConversionSettings } from './settings.ts';

/** A binding that callers ask, and the name of its hook. */
export interface AskedBinding {
  readonly hook: string;
  readonly binding: AskBinding;
}

/** What is registered with the API server, and kept so. */
export interface KeptRegistration {
  /** Why it is not registered as it should be; undefined when nothing is known to be wrong. */
  readonly problem: string | undefined;
  /** Each registered `caBundle`; undefined until it is known. */
  bundles(): readonly string[] | undefined;
  /** Something has changed that decides what may be registered. */
  look(): void;
}

export interface ServedWebhooksOptions
  extends
    Pick<CertifiedListenerOptions, 'name' | 'drained'>,
    Pick<WebhookServerOptions, 'flags' | 'routeOf' | 'triggers'>,
    Pick<WebhooksOptions, 'asked' | 'drainMs' | 'log'> {
  readonly server: ConversionSettings;
  /** The names of the checks begin with it. */
  readonly prefix: 'webhook' | 'conversion';
  readonly openCertificates: OpenCertificates;
  /** The registrations now, by the names of their checks. */
  readonly registrations: () => ReadonlyMap<string, KeptRegistration>;
  /** All bindings that are served now. */
  readonly bindings: () => readonly AskedBinding[];
  /** How a check names a binding. */
  readonly nameOf: (asked: AskedBinding) => string;
  /** Called after hooks were loaded, before the registrations look again. */
  readonly onLoaded: (signal: AbortSignal) => void;
}

const MAX_SHOWN = 5;

/** A listener, its certificates and the registrations that depend on them; see above. */
export class ServedWebhooks {
  readonly #options: ServedWebhooksOptions;
  readonly #certificates: Certificates;
  readonly #listener: CertifiedListener;
  readonly #registered = new Changes();
  #isStopping = false;

  constructor(options: ServedWebhooksOptions) {
    this.#options = options;
    const { server, registrations, openCertificates } = options;
    this.#certificates = openCertificates({
      bundles: () => joinedBundles([...registrations().values()]),
      changes: (signal) => this.#registered.follow(signal),
    });
    const { listenAddress: address, listenPort: port, clientCa } = server;
    this.#listener = new CertifiedListener({
      ...pickListener(options),
      openServer: async (tls) => openWebhookServer({ ...pickServer(options), address, port, ...tls }),
      certificates: this.#certificates,
      clientCa,
      onOpen: () => this.look(),
    });
  }

  /** The port of the listener; undefined until it listens. */
  get port(): number | undefined {
    return this.#listener.port;
  }

  /** Whether requests of these bindings could be answered now. */
  canAnswer(bindings: readonly AskedBinding[]): boolean {
    return this.#listener.problem === undefined && this.#waiting(bindings).length === 0;
  }

  /** What to write into an object that has `registered` as its `caBundle`; undefined when it needs no write. */
  bundleFor(registered: string): string | undefined {
    const { caBundle } = this.#certificates;
    return caBundle === undefined ? undefined : bundleToRegister(registered, caBundle, Date.now());
  }

  /** What is registered has changed. */
  readonly noteRegistered = (): void => this.#registered.notify();

  /**
   * The checks of `/readyz`. A registration with a problem fails none: another replica may keep it right. A server that
   * is not needed fails none either.
   */
  readiness({ isNeeded = true } = {}): readonly HealthCheck[] {
    const { prefix, registrations, bindings } = this.#options;
    const stopping = this.#isStopping ? 'the operator stops' : undefined;
    const always = isNeeded ? {} : { isOk: true };
    const waiting = this.#waiting(bindings());
    const shown = waiting.slice(0, MAX_SHOWN).join(', ');
    return [
      { ...check(`${prefix}-server`, stopping ?? this.#listener.problem), ...always },
      { ...check(`${prefix}-certificates`, this.#certificates.problem), ...always },
      {
        ...check(`${prefix}-snapshots`, waiting.length === 0 ? undefined : `not complete yet: ${shown}`),
        isPartial: true,
      },
      ...[...registrations()].flatMap(([name, { problem }]) =>
        problem === undefined ? [] : [{ name, isOk: true, isTolerated: true, message: problem }],
      ),
    ];
  }

  /** Has all registrations look again. */
  look(): void {
    for (const registration of this.#options.registrations().values()) registration.look();
  }

  /** Works, beside `parts`, until `signal` aborts and every open request is answered. */
  async run(parts: readonly ((signal: AbortSignal) => Promise<void>)[], signal: AbortSignal): Promise<void> {
    // Certificates are renewed as long as requests are answered.
    const ended = new AbortController();
    const own = [
      async (stop: AbortSignal) => this.#listener.run(stop).finally(() => ended.abort()),
      async () => this.#certificates.run(ended.signal),
      async (stop: AbortSignal) => this.#follow(stop),
    ];
    signal.addEventListener('abort', () => (this.#isStopping = true), { once: true });
    await runAll([...own, ...parts], signal);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { asked, onLoaded } = this.#options;
    const hooks = async (): Promise<void> => {
      for await (const _ of asked.changes(signal)) {
        onLoaded(signal);
        this.look();
        void this.#lookWhenKnown(signal);
      }
    };
    const certificates = async (): Promise<void> => {
      for await (const _ of this.#certificates.changes(signal)) this.look();
    };
    void this.#lookWhenKnown(signal);
    await Promise.all([hooks(), certificates(), aborted(signal)]);
  }

  /** What could not be registered before snapshots were complete, can be afterwards. */
  async #lookWhenKnown(signal: AbortSignal): Promise<void> {
    const { asked, bindings } = this.#options;
    await Promise.allSettled(bindings().map(async ({ hook, binding }) => asked.ready(hook, binding, signal)));
    this.look();
  }

  /** Those whose snapshots are not complete. */
  #waiting(bindings: readonly AskedBinding[]): readonly string[] {
    const { asked, nameOf } = this.#options;
    const waiting = bindings.filter(({ hook, binding }) => !asked.isKnown(hook, binding));
    return [...new Set(waiting.map(nameOf))];
  }
}

function pickListener({ name, drained, drainMs, log }: ServedWebhooksOptions) {
  return { name, drained, drainMs, log };
}

function pickServer({ flags, routeOf, triggers, log }: ServedWebhooksOptions) {
  return { flags, routeOf, triggers, log };
}

/** A check that fails with a problem. */
function check(name: string, problem: string | undefined): HealthCheck {
  return { name, isOk: problem === undefined, message: problem ?? '' };
}
