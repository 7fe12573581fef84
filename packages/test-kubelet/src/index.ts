// The public API of @hooklet/test-kubelet, for the cluster tests of this repository.

/**
 * Starts a node for the pods of some namespaces, which run as processes of this machine; it ends when it is disposed
 * of.
 */
export { startKubelet } from './kubelet.ts';
/** The options of `startKubelet`, what a test can do to the node, and the name of a pod. */
export type { Kubelet, KubeletOptions, PodName } from './kubelet.ts';
/** What runs for an image name. */
export type { Image } from './image.ts';
/** The output and the exit code of a command in a container. */
export type { ExecResult } from './container.ts';
