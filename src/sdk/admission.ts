import type { LabelSelector } from './bindings.ts';
import type { KubernetesObject, ObjectLike } from './kubernetes-object.ts';
import type { JsonPatchOperation } from './patch.ts';
import { plainCopy } from './plain-document.ts';

// A key of a type parameter: it exists only in types, never in values.
declare const object: unique symbol;

/** Which requests a webhook is called for, and what happens without an answer. */
export interface ValidatingOptions {
  readonly rules: readonly AdmissionRule[];
  /** What happens to a request that the operator does not answer; default: that of the operator, else `Fail`. */
  readonly failurePolicy?: 'Ignore' | 'Fail';
  /** Default `Equivalent`. */
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  /** `NoneOnDryRun` for a hook that asks for changes of objects; default `None`. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun';
  /** From 1 to 30; default 10. */
  readonly timeoutSeconds?: number;
  /** CEL expressions that must all be true of a request. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly objectSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  /** Whether requests in the operator's own namespace are judged too; default false. */
  readonly matchOwnNamespace?: boolean;
}

export interface MutatingOptions extends ValidatingOptions {
  /** Whether the webhook is called again after others have changed the object; default `Never`. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

export interface AdmissionRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  /** Such as `pods` and `pods/status`. */
  readonly resources: readonly string[];
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT' | '*')[];
  /** Default `*`. */
  readonly scope?: 'Cluster' | 'Namespaced' | '*';
}

export interface ValidatingDeclaration<Kind> {
  readonly type: 'validating';
  readonly options: ValidatingOptions;
  readonly [object]?: Kind;
}

export interface MutatingDeclaration<Kind> {
  readonly type: 'mutating';
  readonly options: MutatingOptions;
  readonly [object]?: Kind;
}

/**
 * Asks the hook whether a request is allowed. `Kind` is the type of the objects. The name of the binding is that of the
 * webhook, such as `pods.example.com`.
 */
export function validating<Kind extends ObjectLike = KubernetesObject>(
  options: ValidatingOptions,
): ValidatingDeclaration<Kind> {
  return { type: 'validating', options };
}

/** As `validating`, and the hook may change the object. */
export function mutating<Kind extends ObjectLike = KubernetesObject>(
  options: MutatingOptions,
): MutatingDeclaration<Kind> {
  return { type: 'mutating', options };
}

/** A request to the API server that the hook judges. */
export interface AdmissionRequest<Kind> {
  readonly uid: string;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string;
  readonly requestKind?: GroupVersionKind;
  readonly requestResource?: GroupVersionResource;
  readonly requestSubResource?: string;
  /** Absent when the API server is to make the name. */
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly userInfo: {
    readonly username?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  /** Null for DELETE. */
  readonly object: Kind | null;
  /** The object before UPDATE and DELETE. */
  readonly oldObject: Kind | null;
  readonly dryRun?: boolean;
  readonly options: Readonly<Record<string, unknown>> | null;
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A request of a `validating` binding. */
export interface ValidatingContext<Name extends string, Kind> {
  readonly type: 'Validating';
  readonly binding: Name;
  readonly request: AdmissionRequest<Kind>;
}

/** A request of a `mutating` binding. */
export interface MutatingContext<Name extends string, Kind> {
  readonly type: 'Mutating';
  readonly binding: Name;
  readonly request: AdmissionRequest<Kind>;
}

/**
 * The answer to an admission request. Of several calls of `allow` and `deny` the last counts; a run without any denies,
 * for it has answered nothing.
 */
export class AdmissionAnswer {
  readonly #isAsked: () => boolean;
  readonly #warnings: string[] = [];
  #verdict: { readonly allowed: boolean; readonly message?: string } | undefined;
  #change: { readonly patch: unknown } | { readonly object: unknown } | undefined;

  /** `isAsked` says whether a request waits for an answer. */
  constructor(isAsked: () => boolean) {
    this.#isAsked = isAsked;
  }

  /** Lets the request pass. */
  allow(): void {
    this.#decide({ allowed: true });
  }

  /** Refuses the request; the user is shown the message. */
  deny(message: string): void {
    this.#decide({ allowed: false, message });
  }

  /** Shows the user a warning; the API server cuts it after 256 characters. */
  warn(message: string): void {
    this.#check('warn');
    this.#warnings.push(message);
  }

  /** Allows the request with the object as it should be; hooklet makes the JSON Patch. For `mutating` alone. */
  allowAs(changed: ObjectLike): void {
    const object = plainCopy('answer.allowAs', changed);
    if (object === undefined || object === null) throw new TypeError('answer.allowAs: expected the whole object');
    this.#decide({ allowed: true });
    this.#change = { object };
  }

  /** Allows the request with a JSON Patch. For `mutating` alone. */
  allowWithPatch(steps: readonly JsonPatchOperation[]): void {
    const patch = plainCopy('answer.allowWithPatch', steps);
    if (!Array.isArray(patch)) throw new TypeError('answer.allowWithPatch: expected a list of steps');
    this.#decide({ allowed: true });
    this.#change = { patch };
  }

  /** The response file; empty when nothing was decided. */
  toString(): string {
    if (this.#verdict === undefined) return '';
    const warnings = this.#warnings.length === 0 ? {} : { warnings: this.#warnings };
    return JSON.stringify({ ...this.#verdict, ...warnings, ...this.#change });
  }

  #decide(verdict: { readonly allowed: boolean; readonly message?: string }): void {
    this.#check(verdict.allowed ? 'allow' : 'deny');
    this.#verdict = verdict;
    this.#change = undefined;
  }

  #check(call: string): void {
    if (!this.#isAsked()) throw new Error(`answer.${call}: no request waits for an answer in this run`);
  }
}
