import { createHash } from 'node:crypto';
import { ruleFiles, type ConfigFile } from './rule-files.ts';
import { scrapeJobs } from './scrape-job.ts';
import { selects } from './selectors.ts';
import {
  ANY_NAMESPACE,
  type LabelSelector,
  type Meta,
  type MonitorSpec,
  type NamespaceSummary,
  type Prometheus,
  type RuleSpec,
  SELECTABLE_LABEL,
  type Source,
  type SourceKind,
} from './resources.ts';

/** One selected monitor or rule, and what it adds to the configuration. */
export interface Item {
  readonly kind: SourceKind;
  readonly source: Source<unknown>;
  readonly jobs: readonly object[];
  readonly files: readonly ConfigFile[];
  /** Of the content: two items with the same have the same effect. */
  readonly hash: string;
  /** Whether its status says that this Prometheus had it as it is. */
  readonly wasAccepted?: boolean;
  /** Why nothing of it can be used, found without promtool. */
  readonly problem?: string;
}

/** All that can be selected. */
export interface Sources {
  readonly serviceMonitors: readonly Source<MonitorSpec>[];
  readonly podMonitors: readonly Source<MonitorSpec>[];
  readonly rules: readonly Source<RuleSpec>[];
  readonly namespaces: readonly NamespaceSummary[];
}

/** The monitors and rules that a Prometheus selects, sorted by kind, namespace and name. */
export function selectedItems({ metadata, spec }: Prometheus, sources: Sources): readonly Item[] {
  const labelsOf = new Map(sources.namespaces.map(({ name, labels }) => [name, labels]));
  const isNamespaceSelected = (name: string, namespaces?: LabelSelector) =>
    namespaces === undefined
      ? name === metadata.namespace
      : labelsOf.has(name) && selects(namespaces, labelsOf.get(name)) && agrees(name, labelsOf.get(name), metadata);
  const isSelected = (selector?: LabelSelector, namespaces?: LabelSelector) => (source: { readonly metadata: Meta }) =>
    selects(selector, source.metadata.labels) && isNamespaceSelected(source.metadata.namespace, namespaces);
  const services = sources.serviceMonitors.filter(
    isSelected(spec.serviceMonitorSelector, spec.serviceMonitorNamespaceSelector),
  );
  const pods = sources.podMonitors.filter(isSelected(spec.podMonitorSelector, spec.podMonitorNamespaceSelector));
  const rules = sources.rules.filter(isSelected(spec.ruleSelector, spec.ruleNamespaceSelector));
  const items = [
    ...sorted(services).map((monitor) => monitorItem('ServiceMonitor', monitor)),
    ...sorted(pods).map((monitor) => monitorItem('PodMonitor', monitor)),
    ...sorted(rules).map(ruleItem),
  ];
  return items.map((item) => ({ ...item, wasAccepted: wasAccepted(item.source, metadata) }));
}

/** Whether a namespace lets a Prometheus select what is in it: another one has to say so. */
function agrees(name: string, labels: NamespaceSummary['labels'], by: Meta): boolean {
  const from = labels?.[SELECTABLE_LABEL];
  return name === by.namespace || from === by.namespace || from === ANY_NAMESPACE;
}

function wasAccepted({ metadata, bindings }: Source<unknown>, by: Meta): boolean {
  const binding = bindings?.find(({ namespace, name }) => namespace === by.namespace && name === by.name);
  const found = binding?.conditions?.find(({ type }) => type === 'Accepted');
  return found?.status === 'True' && found.observedGeneration === metadata.generation;
}

/** What a monitor adds to a configuration. */
export function monitorItem(kind: 'ServiceMonitor' | 'PodMonitor', source: Source<MonitorSpec>): Item {
  const jobs = scrapeJobs(kind, source);
  return { kind, source, jobs, files: [], hash: hashOf(JSON.stringify(jobs)) };
}

/** What a PrometheusRule adds to a configuration. */
export function ruleItem(source: Source<RuleSpec>): Item {
  const { files, problem } = ruleFiles(source);
  const hash = hashOf(files.map(({ name }) => name).join('\n'));
  return { kind: 'PrometheusRule', source, jobs: [], files, hash, ...(problem !== undefined && { problem }) };
}

/** The first 16 hexadecimal digits of the SHA-256 of a text. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function sorted<T extends { readonly metadata: Meta }>(items: readonly T[]): readonly T[] {
  const key = ({ metadata }: T): string => `${metadata.namespace}/${metadata.name}`;
  return items.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
