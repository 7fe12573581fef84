import type { AdmissionBinding } from '../../hook/ask-binding.ts';
import { admissionBindings, webhookPath } from '../../hook/webhook-names.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import { RequestSlots } from '../../server/request-slots.ts';
import type { WebhookRoute } from '../../server/webhook-server.ts';
import { createAdmissionEndpoint } from '../../sources/admission/admission-endpoint.ts';
import type { AskedHooks } from './asked-hooks.ts';
import { BrokenRoutes, type BrokenWebhook } from './broken-routes.ts';
import { compatWebhookLog } from './compat-log.ts';
import { judgeAdmission } from './judge-admission.ts';

export interface AdmissionRoutesOptions {
  readonly asked: AskedHooks;
  readonly metrics: Pick<Metrics, 'admissionRequests' | 'admissionSeconds'>;
  /** Whether requests are logged as shell-operator does; default false. */
  readonly logCompat?: boolean;
  readonly log: Logger;
}

/** A webhook and the name of its hook. */
export interface AdmissionWebhook {
  readonly hook: string;
  readonly binding: AdmissionBinding;
}

/** An object of Kubernetes has at most 3 MiB as JSON; a review of an update has two. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Of all large reviews at once: parsed by a hook, an empty object takes 56 bytes or more. */
const MAX_VALUES = 8_000_000;

/** The paths of all admission webhooks. A hook that is being loaded again keeps its own, and its callers wait for it. */
export class AdmissionRoutes {
  readonly #options: AdmissionRoutesOptions;
  readonly #room = new RequestSlots({ maxRequests: Infinity, maxBytes: MAX_VALUES });
  readonly #broken: BrokenRoutes;
  #routes: ReadonlyMap<string, WebhookRoute> = new Map();
  #served: ReadonlyMap<string, BrokenWebhook> = new Map();

  constructor(options: AdmissionRoutesOptions) {
    this.#options = options;
    const { asked, metrics, log } = options;
    this.#broken = new BrokenRoutes({
      broken: () => asked.broken(),
      onRequest: (webhook) => metrics.admissionRequests.inc({ ...webhook, result: 'refused' }),
      maxBodyBytes: MAX_BODY_BYTES,
      monotonicMs: () => performance.now(),
      log,
    });
  }

  /** All admission webhooks now. */
  webhooks(): readonly AdmissionWebhook[] {
    return this.#options.asked
      .hooks()
      .flatMap((hook) => admissionBindings(hook).map((binding) => ({ hook: hook.name, binding })));
  }

  /** The hooks were loaded again. */
  update(): void {
    const webhooks = this.webhooks();
    this.#broken.update(this.#served);
    this.#served = new Map(
      webhooks.map(({ hook, binding }) => [webhookPath(binding.name), { hook, binding: binding.name }]),
    );
    this.#routes = new Map(
      webhooks.map(({ hook, binding }) => [webhookPath(binding.name), this.#route(hook, binding)]),
    );
  }

  readonly routeOf = (path: string): WebhookRoute | undefined => this.#routes.get(path) ?? this.#broken.routeOf(path);

  #route(hook: string, binding: AdmissionBinding): WebhookRoute {
    const { asked, metrics } = this.#options;
    const log = this.#options.log.child({ hook });
    const compat = this.#options.logCompat === true ? compatWebhookLog(this.#options.log) : undefined;
    const labels = { hook, binding: binding.name };
    const isModule = asked.hooks().find(({ name }) => name === hook)?.type === 'warm';
    return {
      maxBodyBytes: MAX_BODY_BYTES,
      answer: createAdmissionEndpoint({
        hook,
        binding,
        room: (values) => this.#room.take(values),
        judge: async (trigger, object, signal) => {
          const ready = async (until: AbortSignal) => asked.ready(hook, binding, until);
          const verdict = await judgeAdmission(trigger, object, { ready, isModule, log, signal });
          if (verdict.type === 'answered') compat?.judged(hook, binding, verdict);
          return verdict;
        },
        onReview: (review) => compat?.reviewed(binding.name, review),
        onEnd: (ended, durationMs) => {
          compat?.reviewEnded(ended);
          metrics.admissionRequests.inc({ ...labels, result: ended.result });
          metrics.admissionSeconds.observe(labels, durationMs / 1000);
        },
      }),
    };
  }
}
