import type { ConversionBinding } from '../../hook/ask-binding.ts';
import type { Binding } from '../../hook/binding.ts';
import { shownText } from '../../lib/shown.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import { RequestSlots } from '../../server/request-slots.ts';
import type { WebhookRoute } from '../../server/webhook-server.ts';
import type { ConversionStep } from '../../sources/conversion/chain.ts';
import { createConversionEndpoint } from '../../sources/conversion/conversion-endpoint.ts';
import { askConversion } from './ask-conversion.ts';
import type { AskedHooks } from './asked-hooks.ts';
import { compatWebhookLog } from './compat-log.ts';

export interface ConversionRoutesOptions {
  readonly asked: AskedHooks;
  readonly metrics: Pick<Metrics, 'conversionRequests' | 'conversionSeconds'>;
  /** Whether requests are logged as shell-operator does; default false. */
  readonly logCompat?: boolean;
  readonly log: Logger;
}

/** The API server asks for all objects of a list at once. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Of all large reviews at once: parsed, an empty object takes 56 bytes. */
const MAX_VALUES = 4_000_000;

/**
 * The paths of all converters, one for each CustomResourceDefinition that some hook has rules for. A hook that is being
 * loaded again keeps its rules, and its callers wait for it. Where all hooks are gone, requests are answered with that.
 */
export class ConversionRoutes {
  readonly #options: ConversionRoutesOptions;
  readonly #routes = new Map<string, WebhookRoute>();
  readonly #room = new RequestSlots({ maxRequests: Infinity, maxBytes: MAX_VALUES });
  #steps: ReadonlyMap<string, readonly ConversionStep[]> = new Map();

  constructor(options: ConversionRoutesOptions) {
    this.#options = options;
  }

  /** The rules of all hooks now, by CustomResourceDefinition. */
  get steps(): ReadonlyMap<string, readonly ConversionStep[]> {
    return this.#steps;
  }

  /** The hooks were loaded again. */
  update(): void {
    const steps = this.#options.asked
      .hooks()
      .flatMap(({ name: hook, bindings }) =>
        bindings
          .filter(isConversion)
          .flatMap((binding) => binding.conversions.map((rule) => ({ hook, binding, rule }))),
      );
    this.#steps = Map.groupBy(steps, ({ binding }) => binding.crdName);
    for (const crd of this.#steps.keys()) {
      if (!this.#routes.has(`/${crd}`)) this.#routes.set(`/${crd}`, this.#route(crd));
    }
  }

  readonly routeOf = (path: string): WebhookRoute | undefined => this.#routes.get(path);

  #route(crd: string): WebhookRoute {
    const { asked, metrics, log, logCompat = false } = this.#options;
    const compat = logCompat ? compatWebhookLog(log) : undefined;
    return {
      maxBodyBytes: MAX_BODY_BYTES,
      // A broken hook may be the one that converts these.
      isOffered: () => this.#steps.has(crd) || asked.hasBroken(),
      answer: createConversionEndpoint({
        room: (values) => this.#room.take(values),
        steps: () => this.#steps.get(crd) ?? [],
        hasBroken: () => asked.hasBroken(),
        ask: async (step, trigger, signal) => {
          const { hook, binding } = step;
          const answer = await askConversion(async (until) => asked.ready(hook, binding, until), trigger, signal);
          if (answer.type === 'answered') compat?.converted(step, answer.response);
          return answer;
        },
        onReview: (request) => compat?.conversionReviewed(crd, request),
        onChain: (...chain) => compat?.chained(...chain),
        onEnd: ({ result, message, uid }, durationMs) => {
          metrics.conversionRequests.inc({ crd, result });
          metrics.conversionSeconds.observe({ crd }, durationMs / 1000);
          if (result === 'converted') return;
          if (compat !== undefined && uid !== undefined) {
            compat.conversionFailed(crd, uid, message);
            return;
          }
          // Every client that reaches the port can send invalid reviews, so they must not fill the log.
          const level = result === 'invalid' ? 'debug' : 'warn';
          log[level]({ crd, result, reason: shownText(message) }, 'objects were not converted');
        },
      }),
    };
  }
}

function isConversion(binding: Binding): binding is ConversionBinding {
  return binding.type === 'kubernetesCustomResourceConversion';
}
