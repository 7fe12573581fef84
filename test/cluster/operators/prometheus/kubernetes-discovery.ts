import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';

/*
 * What the discovery of Kubernetes in Prometheus finds, as its discovery by HTTP takes it: Debian builds Prometheus
 * without the former. It runs in the Pod, with the rights of the Pod's account.
 */

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const PORT = 9199;

type Labels = Record<string, string>;

interface Found {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels?: Labels };
  readonly spec?: { readonly containers?: readonly Container[] };
  readonly status?: { readonly podIP?: string; readonly phase?: string };
  readonly ports?: readonly { readonly name?: string; readonly port: number }[];
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly targetRef?: { readonly name: string };
  }[];
}

interface Container {
  readonly name: string;
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
}

async function list(group: string, namespace: string, plural: string): Promise<readonly Found[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Found[]>();
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  const call = request(
    {
      host,
      port,
      path: `${group}/namespaces/${namespace}/${plural}`,
      ca: readFileSync(`${ACCOUNT}/ca.crt`),
      headers: { authorization: `Bearer ${readFileSync(`${ACCOUNT}/token`, 'utf8')}` },
      timeout: 10_000,
    },
    (answer) => {
      let text = '';
      answer.on('data', (part) => (text += String(part)));
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(JSON.parse(text).items);
        else reject(new Error(`${plural}: ${answer.statusCode} ${text}`));
      });
    },
  );
  call.on('error', reject);
  call.end();
  return promise;
}

function labelsOf(role: string, labels: Labels = {}): Labels {
  const plain = (key: string): string => key.replaceAll(/[^a-zA-Z0-9_]/g, '_');
  return Object.fromEntries(
    Object.entries(labels).flatMap(([key, value]) => [
      [`__meta_kubernetes_${role}_label_${plain(key)}`, value],
      [`__meta_kubernetes_${role}_labelpresent_${plain(key)}`, 'true'],
    ]),
  );
}

function ofPod({ metadata, status }: Found): Labels {
  return {
    __meta_kubernetes_pod_name: metadata.name,
    __meta_kubernetes_pod_phase: status?.phase ?? '',
    ...labelsOf('pod', metadata.labels),
  };
}

async function pods(namespace: string): Promise<readonly object[]> {
  return (await list('/api/v1', namespace, 'pods')).flatMap((pod) =>
    (pod.spec?.containers ?? []).flatMap(({ name, ports = [] }) =>
      ports.map((port) => ({
        targets: [`${pod.status?.podIP ?? ''}:${port.containerPort}`],
        labels: {
          __meta_kubernetes_namespace: namespace,
          __meta_kubernetes_pod_container_name: name,
          __meta_kubernetes_pod_container_port_name: port.name ?? '',
          __meta_kubernetes_pod_container_port_number: String(port.containerPort),
          ...ofPod(pod),
        },
      })),
    ),
  );
}

async function slices(namespace: string): Promise<readonly object[]> {
  const [all, services, owners] = await Promise.all([
    list('/apis/discovery.k8s.io/v1', namespace, 'endpointslices'),
    list('/api/v1', namespace, 'services'),
    list('/api/v1', namespace, 'pods'),
  ]);
  return all.flatMap(({ metadata, ports = [], endpoints = [] }) => {
    const service = metadata.labels?.['kubernetes.io/service-name'] ?? '';
    const found = services.find((one) => one.metadata.name === service);
    return endpoints.flatMap(({ addresses, targetRef }) =>
      ports.map(({ name, port }) => {
        const pod = owners.find((one) => one.metadata.name === targetRef?.name);
        return {
          targets: addresses.map((address) => `${address}:${port}`),
          labels: {
            __meta_kubernetes_namespace: namespace,
            __meta_kubernetes_endpointslice_port_name: name ?? '',
            __meta_kubernetes_endpointslice_port: String(port),
            __meta_kubernetes_service_name: service,
            ...labelsOf('service', found?.metadata.labels),
            ...(pod === undefined ? {} : ofPod(pod)),
          },
        };
      }),
    );
  });
}

createServer((asked, answer) => {
  const url = new URL(asked.url ?? '', 'http://localhost');
  const find = url.pathname === '/pod' ? pods : slices;
  const namespaces = (url.searchParams.get('namespaces') ?? '').split(',');
  Promise.all(namespaces.map(find)).then(
    (found) => {
      answer.setHeader('content-type', 'application/json');
      answer.end(JSON.stringify(found.flat()));
    },
    (error: unknown) => {
      answer.statusCode = 500;
      answer.end(String(error));
    },
  );
}).listen(PORT, '127.0.0.1');
