// The public API of @hooklet/test-kubelet, for the cluster tests of this repository.

/** Starts a node for the pods of some namespaces, which run as processes of this machine; it ends when disposed of. */
export { startKubelet } from './kubelet.ts';
/** How a node is started, what a test can do to it, and the name of a pod. */
export type { Kubelet, KubeletOptions, PodName } from './kubelet.ts';
/** What an image name stands for. */
export type { Image } from './image.ts';
/** What a command in a container wrote, and how it ended. */
export type { ExecResult } from './container.ts';
