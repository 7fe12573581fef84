import {
  controlPlaneAssets,
  etcdToolAssets,
  helmAsset,
  kubectlAsset,
  laterApiserverAsset,
  s3ServerAsset,
} from './assets.ts';

// Builds every missing server and tool of the cluster tests, one after the other.
const BUILDS = [controlPlaneAssets, kubectlAsset, helmAsset, etcdToolAssets, s3ServerAsset, laterApiserverAsset];
for (const build of BUILDS) await build(process.env);
