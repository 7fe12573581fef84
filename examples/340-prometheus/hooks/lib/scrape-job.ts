import { escaped, escapedReplacement } from './yaml-text.ts';
import type { Endpoint, LabelSelector, MonitorSpec, Relabeling, Source } from './resources.ts';

type Json = Readonly<Record<string, unknown>>;

/** The scrape jobs of a ServiceMonitor or PodMonitor, one for each endpoint. */
export function scrapeJobs(kind: 'ServiceMonitor' | 'PodMonitor', monitor: Source<MonitorSpec>): readonly Json[] {
  const { spec, metadata } = monitor;
  const endpoints = (kind === 'ServiceMonitor' ? spec.endpoints : spec.podMetricsEndpoints) ?? [];
  const prefix = `${kind === 'ServiceMonitor' ? 'serviceMonitor' : 'podMonitor'}/${metadata.namespace}/${metadata.name}`;
  return endpoints.map((endpoint, index) => ({
    job_name: `${prefix}/${index}`,
    ...howToScrape(endpoint),
    ...(spec.sampleLimit !== undefined && { sample_limit: spec.sampleLimit }),
    kubernetes_sd_configs: [
      { role: kind === 'ServiceMonitor' ? 'endpointslice' : 'pod', ...namespacesOf(spec, metadata.namespace) },
    ],
    relabel_configs: [
      ...(kind === 'ServiceMonitor' ? ofService(spec, endpoint) : ofPod(spec, endpoint, metadata)),
      ...(endpoint.relabelings ?? []).map(relabeling),
    ],
    ...(endpoint.metricRelabelings && { metric_relabel_configs: endpoint.metricRelabelings.map(relabeling) }),
  }));
}

function howToScrape(endpoint: Endpoint): Json {
  const { interval, scrapeTimeout, path, scheme, params, honorLabels, honorTimestamps, tlsConfig } = endpoint;
  return defined({
    scrape_interval: interval,
    scrape_timeout: scrapeTimeout,
    metrics_path: path,
    scheme,
    params,
    honor_labels: honorLabels,
    honor_timestamps: honorTimestamps,
    tls_config:
      tlsConfig && defined({ insecure_skip_verify: tlsConfig.insecureSkipVerify, server_name: tlsConfig.serverName }),
  });
}

function namespacesOf({ namespaceSelector = {} }: MonitorSpec, own: string): Json {
  const { any = false, matchNames = [] } = namespaceSelector;
  return any ? {} : { namespaces: { names: matchNames.length > 0 ? matchNames : [own] } };
}

function ofService(spec: MonitorSpec, { port, targetPort }: Endpoint): readonly Json[] {
  const { jobLabel, targetLabels = [], podTargetLabels = [] } = spec;
  return [
    ...kept('service', spec.selector),
    ...(port === undefined ? [] : [keep('__meta_kubernetes_endpointslice_port_name', port)]),
    ...(targetPort === undefined ? [] : [keep(portLabel(targetPort), String(targetPort))]),
    ...ALIVE,
    copy('__meta_kubernetes_namespace', 'namespace'),
    copy('__meta_kubernetes_service_name', 'service'),
    ...POD,
    ...targetLabels.map((label) => carry('service', label)),
    ...podTargetLabels.map((label) => carry('pod', label)),
    copy('__meta_kubernetes_service_name', 'job'),
    ...jobOf('service', jobLabel),
    { target_label: 'endpoint', replacement: escapedReplacement(String(port ?? targetPort ?? '')) },
  ];
}

function ofPod(
  spec: MonitorSpec,
  { port, targetPort }: Endpoint,
  meta: { readonly namespace: string; readonly name: string },
) {
  const { jobLabel, podTargetLabels = [] } = spec;
  return [
    ...kept('pod', spec.selector),
    ...(port === undefined ? [] : [keep('__meta_kubernetes_pod_container_port_name', port)]),
    ...(targetPort === undefined ? [] : [keep(portLabel(targetPort), String(targetPort))]),
    ...ALIVE,
    copy('__meta_kubernetes_namespace', 'namespace'),
    ...POD,
    ...podTargetLabels.map((label) => carry('pod', label)),
    { target_label: 'job', replacement: `${meta.namespace}/${meta.name}` },
    ...jobOf('pod', jobLabel),
    { target_label: 'endpoint', replacement: escapedReplacement(String(port ?? targetPort ?? '')) },
  ];
}

const ALIVE = [{ source_labels: ['__meta_kubernetes_pod_phase'], regex: '(Failed|Succeeded)', action: 'drop' }];
const POD = [copy('__meta_kubernetes_pod_name', 'pod'), copy('__meta_kubernetes_pod_container_name', 'container')];

function portLabel(port: string | number): string {
  return `__meta_kubernetes_pod_container_port_${typeof port === 'number' ? 'number' : 'name'}`;
}

function jobOf(role: string, label: string | undefined): readonly Json[] {
  if (label === undefined) return [];
  return [{ source_labels: [metaLabel(role, label)], regex: '(.+)', target_label: 'job', replacement: '$1' }];
}

function kept(role: string, { matchLabels = {}, matchExpressions = [] }: LabelSelector): readonly Json[] {
  const equal = Object.entries(matchLabels).map(([key, value]) =>
    keep(metaLabel(role, key), value, presence(role, key)),
  );
  const expressed = matchExpressions.map(({ key, operator, values = [] }) => {
    const oneOf = values.map(escaped).join('|');
    switch (operator) {
      case 'In':
        return { source_labels: [metaLabel(role, key), presence(role, key)], regex: `(${oneOf});true`, action: 'keep' };
      case 'NotIn':
        return { source_labels: [metaLabel(role, key), presence(role, key)], regex: `(${oneOf});true`, action: 'drop' };
      case 'Exists':
        return { source_labels: [presence(role, key)], regex: 'true', action: 'keep' };
      case 'DoesNotExist':
        return { source_labels: [presence(role, key)], regex: 'true', action: 'drop' };
    }
  });
  return [...equal, ...expressed];
}

function keep(label: string, value: string, present?: string): Json {
  return present === undefined
    ? { source_labels: [label], regex: escaped(value), action: 'keep' }
    : { source_labels: [label, present], regex: `(${escaped(value)});true`, action: 'keep' };
}

function copy(from: string, to: string): Json {
  return { source_labels: [from], target_label: to };
}

function carry(role: string, label: string): Json {
  return {
    source_labels: [metaLabel(role, label)],
    regex: '(.+)',
    target_label: plain(label),
    replacement: '$1',
  };
}

function metaLabel(role: string, key: string): string {
  return `__meta_kubernetes_${role}_label_${plain(key)}`;
}

function presence(role: string, key: string): string {
  return `__meta_kubernetes_${role}_labelpresent_${plain(key)}`;
}

function plain(key: string): string {
  return key.replaceAll(/[^a-zA-Z0-9_]/g, '_');
}

function relabeling(rule: Relabeling): Json {
  const { sourceLabels, targetLabel, action, ...rest } = rule;
  return defined({ source_labels: sourceLabels, target_label: targetLabel, action: action?.toLowerCase(), ...rest });
}

function defined(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
