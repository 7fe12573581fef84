// Serves the pages of each WebSite: a ConfigMap with the pages, a Deployment of nginx, and a Service.
import { createHash } from 'node:crypto';
import { reconcile, type KubernetesObject } from 'hooklet';

interface WebSite extends KubernetesObject {
  readonly spec: { readonly pages: Readonly<Record<string, string>>; readonly replicas?: number };
}

export default reconcile<WebSite>(
  {
    name: 'web-sites',
    apiVersion: 'example.hooklet.dev/v1',
    kind: 'WebSite',
    namespace: { nameSelector: { matchNames: [process.env['POD_NAMESPACE'] ?? 'default'] } },
    owns: [
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { apiVersion: 'apps/v1', kind: 'Deployment' },
      { apiVersion: 'v1', kind: 'Service' },
    ],
  },
  ({ object }) => {
    const { name, namespace } = object.metadata;
    const { pages, replicas = 1 } = object.spec;
    const labels = { app: name };
    const metadata = { name, labels };
    const container = {
      name: 'nginx',
      image: 'nginxinc/nginx-unprivileged:1.29',
      ports: [{ containerPort: 8080 }],
      volumeMounts: [{ name: 'pages', mountPath: '/usr/share/nginx/html' }],
    };
    // Pods see new pages at once, not only when the kubelet looks again.
    const annotations = {
      'example.hooklet.dev/pages': createHash('sha256').update(JSON.stringify(pages)).digest('hex'),
    };
    const template = {
      metadata: { labels, annotations },
      spec: { containers: [container], volumes: [{ name: 'pages', configMap: { name } }] },
    };
    const ports = [{ port: 80, targetPort: 8080 }];
    return {
      children: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: pages },
        { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports } },
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata,
          spec: { replicas, selector: { matchLabels: labels }, template },
        },
      ],
      status: { url: `http://${name}.${namespace}.svc` },
    };
  },
);
