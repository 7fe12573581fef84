import { controlPlaneAssets, etcdToolAssets, kubectlAsset, s3ServerAsset } from './assets.ts';

// Builds every server and tool of the cluster tests that is not there yet, one after the other.
for (const build of [controlPlaneAssets, kubectlAsset, etcdToolAssets, s3ServerAsset]) await build(process.env);
