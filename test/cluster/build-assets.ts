import { controlPlaneAssets, etcdToolAssets, helmAsset, kubectlAsset, s3ServerAsset } from './assets.ts';

// Builds every missing server and tool of the cluster tests, one after the other.
for (const build of [controlPlaneAssets, kubectlAsset, helmAsset, etcdToolAssets, s3ServerAsset])
  await build(process.env);
