import { escaped, escapedReplacement, stringify } from './yaml-text.ts';
import type { Item } from './items.ts';
import type { Alertmanager, Prometheus } from './resources.ts';

/** Where the configuration is in the Pods. */
export const CONFIG_FOLDER = '/etc/prometheus/config';

/**
 * The text of prometheus.yml for some items. `folder` is where the rule files are. `mark` becomes a path that no file
 * has, which Prometheus shows in its status, so that it says itself which configuration it has loaded.
 */
export function configurationOf(
  prometheus: Prometheus,
  items: readonly Item[],
  { folder, mark }: { readonly folder: string; readonly mark: string },
): string {
  const { metadata, spec } = prometheus;
  const { scrapeInterval = '30s', scrapeTimeout = '10s', evaluationInterval = '30s', externalLabels = {} } = spec;
  return stringify({
    global: {
      scrape_interval: scrapeInterval,
      scrape_timeout: scrapeTimeout,
      evaluation_interval: evaluationInterval,
      external_labels: {
        prometheus: `${metadata.namespace}/${metadata.name}`,
        prometheus_replica: '${POD_NAME}',
        // What is not a variable of ours stands for itself.
        ...mapValues(externalLabels, escapedReplacement),
      },
    },
    rule_files: [`${folder}/rules.*.yaml`, `${folder}/${markFile(mark)}*`],
    ...alertingOf(metadata.namespace, spec.alerting?.alertmanagers ?? []),
    scrape_configs: items.flatMap(({ jobs }) => jobs),
  });
}

function mapValues(labels: Readonly<Record<string, string>>, change: (value: string) => string) {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, change(value)]));
}

/** What of the mark is in the configuration that a Prometheus shows. */
export function markFile(mark: string): string {
  return `marked-${mark}-`;
}

function alertingOf(own: string, alertmanagers: readonly Alertmanager[]): object {
  if (alertmanagers.length === 0) return {};
  return {
    alerting: {
      // Replicas send the same alerts.
      alert_relabel_configs: [{ regex: 'prometheus_replica', action: 'labeldrop' }],
      alertmanagers: alertmanagers.map((target) => alertmanager(own, target)),
    },
  };
}

function alertmanager(own: string, { namespace = own, name, port, scheme = 'http', pathPrefix = '/' }: Alertmanager) {
  const label = typeof port === 'number' ? 'port' : 'port_name';
  return {
    api_version: 'v2',
    scheme,
    path_prefix: pathPrefix,
    kubernetes_sd_configs: [{ role: 'endpointslice', namespaces: { names: [namespace] } }],
    relabel_configs: [
      { source_labels: ['__meta_kubernetes_service_name'], regex: escaped(name), action: 'keep' },
      { source_labels: [`__meta_kubernetes_endpointslice_${label}`], regex: escaped(String(port)), action: 'keep' },
    ],
  };
}
