import { monitorItem, ruleItem, type Item } from '../../examples/340-prometheus/hooks/lib/items.ts';
import type { Endpoint, Prometheus, RuleSpec, Source } from '../../examples/340-prometheus/hooks/lib/resources.ts';

/** A Prometheus in the namespace `shop`. */
export function prometheus(spec: Prometheus['spec'] = {}): Prometheus {
  return { metadata: { namespace: 'shop', name: 'main', uid: 'uid-main' }, spec };
}

/** A ServiceMonitor with one endpoint, as part of a configuration. */
export function serviceMonitor(name: string, endpoint: Endpoint = { port: 'web' }): Item {
  return monitorItem('ServiceMonitor', {
    metadata: { namespace: 'shop', name, uid: `uid-${name}`, generation: 1 },
    spec: { selector: { matchLabels: { app: name } }, endpoints: [endpoint] },
  });
}

/** A ServiceMonitor that no Prometheus takes. */
export function badMonitor(name: string): Item {
  return serviceMonitor(name, { port: 'web', relabelings: [{ action: 'replace', regex: '(' }] });
}

/** A PrometheusRule with groups of about this many bytes. */
export function rules(name: string, { groups = 1, bytes = 100, expr = 'sum(up)' } = {}): Item {
  return ruleItem(ruleSource(name, { groups, bytes, expr }));
}

/** The same as it is in the cluster. */
export function ruleSource(name: string, { groups = 1, bytes = 100, expr = 'sum(up)' } = {}): Source<RuleSpec> {
  const text = 'x'.repeat(Math.max(bytes - 80, 1));
  return {
    metadata: { namespace: 'shop', name, uid: `uid-${name}`, generation: 1 },
    spec: {
      groups: Array.from({ length: groups }, (_, index) => ({
        name: `${name}-${index}`,
        rules: [{ alert: 'A', expr, annotations: { text } }],
      })),
    },
  };
}
