import { arrayAt, numberAt, objectAt, objectsAt, textAt, textsAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import type { Storage } from '../storage.ts';
import { compiledConditions, type Conditions } from './match-conditions.ts';

/** One webhook of a configuration, with its defaults filled in. */
export interface Webhook {
  /** Distinguishes it from all others. */
  readonly id: string;
  readonly name: string;
  readonly clientConfig: JsonObject;
  readonly rules: readonly JsonObject[];
  readonly ignoresFailure: boolean;
  readonly exact: boolean;
  readonly namespaceSelector: JsonObject;
  readonly objectSelector: JsonObject;
  readonly timeoutSeconds: number;
  readonly reviewVersions: readonly string[];
  readonly conditions: Conditions;
  readonly isInvokedAgain: boolean;
}

/** The two phases of admission. */
export type Phase = 'mutating' | 'validating';

const COLLECTIONS: { readonly [phase in Phase]: string } = {
  mutating: 'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  validating: 'validatingwebhookconfigurations.admissionregistration.k8s.io',
};

/** The registered webhooks, as the stored configurations have them now. */
export class Registrations {
  readonly #storage: Storage;
  #hooks: { readonly [phase in Phase]: readonly Webhook[] } | undefined = { mutating: [], validating: [] };

  constructor(storage: Storage) {
    this.#storage = storage;
    storage.subscribe(({ stored }) => {
      if (Object.values(COLLECTIONS).includes(stored.collection)) this.#hooks = undefined;
    });
  }

  /** Whether there is no configuration at all. */
  get areNone(): boolean {
    return Object.values(COLLECTIONS).every((collection) => this.#storage.list(collection).length === 0);
  }

  /** Whether there is no webhook at all. */
  get isEmpty(): boolean {
    const { mutating, validating } = this.#current();
    return mutating.length === 0 && validating.length === 0;
  }

  /** The webhooks of a phase: by the names of their configurations, and in the order of the list of each. */
  of(phase: Phase): readonly Webhook[] {
    return this.#current()[phase];
  }

  #current(): { readonly [phase in Phase]: readonly Webhook[] } {
    this.#hooks ??= { mutating: this.#read('mutating'), validating: this.#read('validating') };
    return this.#hooks;
  }

  #read(phase: Phase): readonly Webhook[] {
    return this.#storage
      .list(COLLECTIONS[phase])
      .flatMap(({ name, object }) =>
        objectsAt(object, 'webhooks').map((hook, index) => webhookOf(hook, `${phase}/${name}/${index}`)),
      );
  }
}

function webhookOf(hook: JsonObject, id: string): Webhook {
  return {
    id,
    name: textAt(hook, 'name'),
    clientConfig: objectAt(hook, 'clientConfig'),
    rules: objectsAt(hook, 'rules'),
    ignoresFailure: textAt(hook, 'failurePolicy') === 'Ignore',
    exact: textAt(hook, 'matchPolicy') === 'Exact',
    namespaceSelector: objectAt(hook, 'namespaceSelector'),
    objectSelector: objectAt(hook, 'objectSelector'),
    timeoutSeconds: numberAt(hook, 'timeoutSeconds') ?? 10,
    reviewVersions: textsAt(hook, 'admissionReviewVersions'),
    conditions: compiledConditions(arrayAt(hook, 'matchConditions')),
    isInvokedAgain: textAt(hook, 'reinvocationPolicy') === 'IfNeeded',
  };
}
