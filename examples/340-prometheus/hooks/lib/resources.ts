/** The group of the four kinds. */
export const GROUP = 'monitoring.example.hooklet.dev';
export const API_VERSION = `${GROUP}/v1`;
/** On the Pods and claims of a Prometheus: its name. */
export const OWNER_LABEL = `${GROUP}/prometheus`;

/** On a namespace: the namespace whose Prometheuses may select what is in it, or that of any. */
export const SELECTABLE_LABEL = `${GROUP}/selectable-by`;
/** No namespace can have this name. */
export const ANY_NAMESPACE = 'Any';

/** A selector as Kubernetes has it; one without any term selects everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

export interface Meta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
}

export interface Alertmanager {
  readonly namespace?: string;
  readonly name: string;
  readonly port: string | number;
  readonly scheme?: string;
  readonly pathPrefix?: string;
}

export interface Claim {
  readonly storageClassName?: string;
  readonly resources: { readonly requests: { readonly storage: string } };
}

export interface PrometheusSpec {
  readonly version?: string;
  readonly image?: string;
  readonly replicas?: number;
  readonly retention?: string;
  readonly retentionSize?: string;
  readonly logLevel?: string;
  readonly scrapeInterval?: string;
  readonly scrapeTimeout?: string;
  readonly evaluationInterval?: string;
  readonly externalLabels?: Readonly<Record<string, string>>;
  readonly serviceAccountName?: string;
  readonly serviceMonitorSelector?: LabelSelector;
  readonly serviceMonitorNamespaceSelector?: LabelSelector;
  readonly podMonitorSelector?: LabelSelector;
  readonly podMonitorNamespaceSelector?: LabelSelector;
  readonly ruleSelector?: LabelSelector;
  readonly ruleNamespaceSelector?: LabelSelector;
  readonly alerting?: { readonly alertmanagers: readonly Alertmanager[] };
  readonly storage?: { readonly volumeClaimTemplate: { readonly spec: Claim } };
  readonly resources?: Readonly<Record<string, unknown>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
}

/** What a Pod was seen to have loaded. */
export interface LoadedPod {
  readonly name: string;
  readonly uid: string;
  readonly restarts: number;
  readonly config: string;
}

export interface Prometheus {
  readonly metadata: Meta;
  readonly spec: PrometheusSpec;
  readonly status?: { readonly conditions?: readonly Condition[]; readonly pods?: readonly LoadedPod[] };
}

export interface Relabeling {
  readonly sourceLabels?: readonly string[];
  readonly separator?: string;
  readonly regex?: string;
  readonly modulus?: number;
  readonly targetLabel?: string;
  readonly replacement?: string;
  readonly action?: string;
}

export interface Endpoint {
  readonly port?: string;
  readonly targetPort?: string | number;
  readonly path?: string;
  readonly scheme?: string;
  readonly interval?: string;
  readonly scrapeTimeout?: string;
  readonly params?: Readonly<Record<string, readonly string[]>>;
  readonly honorLabels?: boolean;
  readonly honorTimestamps?: boolean;
  readonly tlsConfig?: { readonly insecureSkipVerify?: boolean; readonly serverName?: string };
  readonly relabelings?: readonly Relabeling[];
  readonly metricRelabelings?: readonly Relabeling[];
}

export interface MonitorSpec {
  readonly selector: LabelSelector;
  readonly namespaceSelector?: { readonly any?: boolean; readonly matchNames?: readonly string[] };
  readonly jobLabel?: string;
  readonly targetLabels?: readonly string[];
  readonly podTargetLabels?: readonly string[];
  readonly sampleLimit?: number;
  readonly endpoints?: readonly Endpoint[];
  readonly podMetricsEndpoints?: readonly Endpoint[];
}

export interface RuleSpec {
  readonly groups?: readonly Readonly<Record<string, unknown>>[];
}

/** What the status of a monitor or rule says for one Prometheus. */
export interface Binding {
  readonly name: string;
  readonly namespace: string;
  readonly conditions?: readonly Condition[];
}

/** A monitor or rule as it is watched. */
export interface Source<Spec> {
  readonly metadata: Meta;
  readonly spec: Spec;
  readonly bindings?: readonly Binding[] | null;
}

/** The three kinds that a Prometheus selects. */
export type SourceKind = 'ServiceMonitor' | 'PodMonitor' | 'PrometheusRule';

export interface NamespaceSummary {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>> | null;
}

export interface PodSummary {
  readonly name: string;
  readonly uid: string;
  readonly ip: string;
  readonly restarts: number;
  readonly running: boolean;
}

export interface ClaimSummary {
  readonly name: string;
  readonly request: string;
}
