// The laws about an API server, for tests that hold a real one to them, and the client that the laws use. It is not
// published.
export { conformanceSuite } from './suite.ts';
export { connect, textOf, type Answer, type Client, type PatchType } from './client.ts';
export { configMap, configMaps, eventually, freshName } from './target.ts';
