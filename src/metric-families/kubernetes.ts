import type { MetricRegistry } from '../lib/metric-registry.ts';
import { SHORT_SECONDS } from './buckets.ts';
import { RUN_LABELS } from './runs.ts';

const WATCH_LABELS = ['kind', 'namespace'] as const;

/** The metrics of kubernetes bindings. */
export function kubernetesMetrics({ counter, gauge, histogram }: MetricRegistry) {
  return {
    enableBindingsSeconds: gauge(
      'hook_enable_kubernetes_bindings_seconds',
      'Time from start until all kubernetes bindings of the hook were synchronized.',
      ['hook'],
    ),
    enableBindingsErrors: counter(
      'hook_enable_kubernetes_bindings_errors_total',
      'Failed attempts to enable the kubernetes bindings of the hook.',
      ['hook'],
    ),
    enableBindingsSuccess: gauge(
      'hook_enable_kubernetes_bindings_success',
      '1 when all kubernetes bindings of the hook are enabled, else 0.',
      ['hook'],
    ),
    snapshotObjects: gauge('kube_snapshot_objects', 'Objects in the snapshot of a binding.', RUN_LABELS),
    filterSeconds: histogram(
      'kube_jq_filter_duration_seconds',
      'Time of one filter on one object.',
      RUN_LABELS,
      SHORT_SECONDS,
    ),
    eventSeconds: histogram(
      'kube_event_duration_seconds',
      'Time to handle one Kubernetes event, filter included.',
      RUN_LABELS,
      SHORT_SECONDS,
    ),
    filterErrors: counter('kube_filter_errors_total', 'Objects on which the filter failed.', RUN_LABELS),
    eventsSuppressed: counter(
      'kube_events_suppressed_total',
      'Events without a run, because the filter result did not change or executeHookOnEvent excludes them.',
      RUN_LABELS,
    ),
  };
}

/** The metrics of watches, which bindings share. */
export function watchMetrics({ counter, gauge }: MetricRegistry) {
  return {
    monitorMissing: counter(
      'binding_monitor_missing_total',
      'Snapshots that were read without a running monitor; always 0, hooks run only with the monitors of their bindings.',
      ['binding'],
    ),
    informerDead: counter(
      'factory_informer_dead_total',
      'Watches that ended while a hook needed them; always 0, a watch that breaks is opened again.',
      ['gvr', 'namespace'],
    ),
    watchErrors: counter('kubernetes_client_watch_errors_total', 'Watches that broke, by cause.', ['error_type']),
    reflectorRestarts: counter('kube_reflector_restarts_total', 'Watches opened again and lists repeated, by reason.', [
      ...WATCH_LABELS,
      'reason',
    ]),
    watchLastContact: gauge(
      'kube_watch_last_contact_timestamp_seconds',
      'When anything last came from the server on the connection of the watch; answers to pings and probes count.',
      WATCH_LABELS,
    ),
    watches: gauge('kube_watches', 'Open shared watches.'),
  };
}
