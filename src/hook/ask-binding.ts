import type { Binding } from './binding.ts';
import type { LabelSelector } from './selector.ts';

/** A binding whose hook answers a caller that waits: the API server with a review. */
export type AskBinding = AdmissionBinding | ConversionBinding;

const ASK_TYPES: readonly string[] = [
  'kubernetesValidating',
  'kubernetesMutating',
  'kubernetesCustomResourceConversion',
] satisfies readonly AskBinding['type'][];

/** Whether the hook of a binding answers a caller that waits. */
export function isAskBinding(binding: Binding): binding is AskBinding {
  return ASK_TYPES.includes(binding.type);
}

/** One entry of `kubernetesValidating` or `kubernetesMutating`, defaults filled in. */
export interface AdmissionBinding {
  readonly type: 'kubernetesValidating' | 'kubernetesMutating';
  /** The name of the webhook, unique among all hooks. */
  readonly name: string;
  /** Absent or empty: the webhook is registered, and called for nothing. */
  readonly rules: readonly AdmissionRule[];
  /** What the API server does when there is no answer; absent: that of the flag. */
  readonly failurePolicy?: 'Ignore' | 'Fail';
  /** Default `Equivalent`. */
  readonly matchPolicy: 'Exact' | 'Equivalent';
  /**
   * What is told to the API server, which refuses a dry run otherwise. With both, nothing that the hook asked is carried
   * out for a dry run. Default `None`.
   */
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  /** From 1 to 30; default 10. */
  readonly timeoutSeconds: number;
  /** Of a mutating webhook alone; default `Never`. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
  readonly matchConditions: readonly MatchCondition[];
  /** `objectSelector`, or `labelSelector` as shell-operator calls it. */
  readonly objectSelector?: LabelSelector;
  /** `namespaceSelector`, or `namespace.labelSelector` as shell-operator calls it. */
  readonly namespaceSelector?: LabelSelector;
  /** Whether requests in the operator's own namespace reach the hook; undefined: as the flags say. */
  readonly matchOwnNamespace?: boolean;
  readonly group?: string;
  /** Effective list: the entry's own, then the members of its group. */
  readonly includeSnapshotsFrom: readonly string[];
}

/** Which requests an admission webhook is called for; each list has at least one element. */
export interface AdmissionRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  /** Such as `pods`, `pods/status`, `*` and `*` + `/*`. */
  readonly resources: readonly string[];
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT' | '*')[];
  /** Default `*`. */
  readonly scope: 'Cluster' | 'Namespaced' | '*';
}

/** A CEL expression that must be true of a request. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** One entry of `kubernetesCustomResourceConversion`, defaults filled in. */
export interface ConversionBinding {
  readonly type: 'kubernetesCustomResourceConversion';
  readonly name: string;
  /** The name of the CustomResourceDefinition, such as `crontabs.stable.example.com`. */
  readonly crdName: string;
  readonly conversions: readonly ConversionRule[];
  readonly group?: string;
  /** Effective list: the entry's own, then the members of its group. */
  readonly includeSnapshotsFrom: readonly string[];
}

/** Versions as written, such as `v1` or `stable.example.com/v1`. */
export interface ConversionRule {
  readonly fromVersion: string;
  readonly toVersion: string;
}
