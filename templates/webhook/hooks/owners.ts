// Refuses Pods that have no label "owner", and warns of images whose tag may be moved.
import { defineHook, validating } from 'hooklet';
import type { V1Pod } from 'hooklet/kinds';

export default defineHook({
  bindings: {
    'owners.my-hooks.example.com': validating<V1Pod>({
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE', 'UPDATE'] }],
      // Only namespaces with this label are asked about.
      namespaceSelector: { matchLabels: { 'example.com/owners': 'required' } },
      timeoutSeconds: 5,
    }),
  },
  run({ contexts, answer }) {
    // A request is one run with one context.
    for (const { request } of contexts) {
      const { metadata, spec } = request.object ?? {};
      const images = spec?.containers.map(({ image = '' }) => image) ?? [];
      for (const image of images.filter(isFloating)) answer.warn(`${image}: a fixed tag would keep it from changing`);
      if (metadata?.labels?.['owner'] !== undefined) answer.allow();
      else answer.deny('a Pod needs the label "owner": who is asked about it?');
    }
  },
});

/** Whether an image has no tag, or the one that is moved with each release. */
function isFloating(image: string): boolean {
  return /(?:^|\/)[^:@/]*$|:latest$/.test(image);
}
