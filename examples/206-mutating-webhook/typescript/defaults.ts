// Writes into each new Deployment who created it, and gives containers requests where they have none.
import { defineHook, mutating, type KubernetesObject } from 'hooklet';

interface Container {
  readonly name: string;
  readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
}

interface Deployment extends KubernetesObject {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
}

const deployments = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] };
const namespaceSelector = { matchLabels: { 'example.hooklet.dev/defaults': 'true' } };

export default defineHook({
  bindings: {
    'creator.example.hooklet.dev': mutating<Deployment>({
      rules: [{ ...deployments, operations: ['CREATE'] }],
      namespaceSelector,
      timeoutSeconds: 5,
    }),
    'requests.example.hooklet.dev': mutating<Deployment>({
      rules: [{ ...deployments, operations: ['CREATE', 'UPDATE'] }],
      namespaceSelector,
      // Another webhook may add containers later.
      reinvocationPolicy: 'IfNeeded',
      timeoutSeconds: 5,
    }),
  },
  run({ contexts, answer }) {
    for (const { binding, request } of contexts) {
      const { object, userInfo } = request;
      if (object === null) answer.allow();
      else if (binding === 'creator.example.hooklet.dev') answer.allowAs(withCreator(object, userInfo.username));
      else answer.allowAs(withRequests(object));
    }
  },
});

function withCreator(deployment: Deployment, creator = ''): Deployment {
  const { metadata } = deployment;
  const annotations = { ...metadata.annotations, 'example.hooklet.dev/creator': creator };
  return { ...deployment, metadata: { ...metadata, annotations } };
}

function withRequests(deployment: Deployment): Deployment {
  const { template } = deployment.spec;
  const containers = template.spec.containers.map((container) => {
    const requests = { cpu: '50m', memory: '64Mi', ...container.resources?.requests };
    return { ...container, resources: { ...container.resources, requests } };
  });
  const spec = { ...deployment.spec, template: { ...template, spec: { ...template.spec, containers } } };
  return { ...deployment, spec };
}
