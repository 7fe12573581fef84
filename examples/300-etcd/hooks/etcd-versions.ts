// Serves EtcdClusters as v1beta1, where replicas is called size, and storage is two fields of the spec.
import { conversion, defineHook, type KubernetesObject } from 'hooklet';
import { convert, convertBack, type OlderSpec, type NewerSpec } from './lib/older-version.ts';

type Older = KubernetesObject & { readonly spec?: OlderSpec };
type Newer = KubernetesObject & { readonly spec?: NewerSpec };

export default defineHook({
  bindings: {
    'etcd-clusters': conversion<Older, Newer>({
      crdName: 'etcdclusters.etcd.hooklet.dev',
      from: 'v1beta1',
      to: 'v1',
      convert: ({ spec, ...object }) => (spec === undefined ? object : { ...object, spec: convert(spec) }),
      convertBack: ({ spec, ...object }) => (spec === undefined ? object : { ...object, spec: convertBack(spec) }),
    }),
  },
});
