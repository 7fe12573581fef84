// Refuses Deployments with images of registries that are not in the ConfigMap "registries".
import { defineHook, kubernetes, validating, type KubernetesObject } from 'hooklet';

interface Container {
  readonly image: string;
}

interface Deployment extends KubernetesObject {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly initContainers?: readonly Container[]; readonly containers: readonly Container[] };
    };
  };
}

export default defineHook({
  bindings: {
    'images.example.hooklet.dev': validating<Deployment>({
      rules: [
        { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'], operations: ['CREATE', 'UPDATE'] },
      ],
      // Only namespaces with this label are asked about.
      namespaceSelector: { matchLabels: { 'example.hooklet.dev/images': 'checked' } },
      timeoutSeconds: 5,
    }),
    registries: kubernetes<readonly string[]>({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: { nameSelector: { matchNames: [process.env['POD_NAMESPACE'] ?? 'default'] } },
      nameSelector: { matchNames: ['registries'] },
      // Watched, but never triggers a run.
      executeHookOnSynchronization: false,
      executeHookOnEvent: [],
      jqFilter: '.data.allowed // "" | split("\\n") | map(select(. != ""))',
    }),
  },
  run({ contexts, snapshots, answer }) {
    const allowed = snapshots.registries.flatMap((prefixes) => prefixes ?? []);
    for (const context of contexts) {
      if (context.type !== 'Validating') continue;
      const images = imagesOf(context.request.object);
      const foreign = images.filter((image) => !allowed.some((prefix) => image.startsWith(prefix)));
      for (const image of images.filter(isFloating)) answer.warn(`${image}: a fixed tag would keep it from changing`);
      if (foreign.length === 0) answer.allow();
      else answer.deny(`${foreign.join(', ')}: take images of ${allowed.join(' or ')}`);
    }
  },
});

function imagesOf(deployment: Deployment | null): readonly string[] {
  const { initContainers = [], containers = [] } = deployment?.spec.template.spec ?? {};
  return [...initContainers, ...containers].map(({ image }) => image);
}

/** Whether an image has no tag, or the one that is moved with each release. */
function isFloating(image: string): boolean {
  return /(?:^|\/)[^:@/]*$|:latest$/.test(image);
}
