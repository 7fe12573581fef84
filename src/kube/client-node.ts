// Alone in its file, so that the bundle keeps nothing else of the package and loads it only where it is needed.
export { KubeConfig } from '@kubernetes/client-node';
