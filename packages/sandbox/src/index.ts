// The public API of @hooklet/sandbox.

/** Starts a Kubernetes API server in memory on a loopback port; it ends with `close`, or with `await using`. */
export { startSandbox } from './sandbox.ts';
/** How a sandbox is started; a running sandbox. */
export type { Sandbox, SandboxOptions } from './sandbox.ts';

/** The types of faults that `sandbox.faults.add` takes. */
export { FAULT_TYPES } from './faults.ts';
/** A fault: which requests it strikes, how often, and what happens to them. */
export type { Fault, FaultAction, Faults, RequestMatcher } from './faults.ts';

/** Reads what a sandbox held from a file and writes it there, for a later sandbox to start with. */
export { readStateFile, writeStateFile } from './state-file.ts';
/** What a sandbox holds. */
export type { StorageState } from './storage.ts';

/** Decides whether a request is allowed, by its attributes in the words of RBAC. */
export type { AccessAttributes, Authorize } from './cluster.ts';
/** The work of a controller that a sandbox can leave to a real one. */
export type { OptionalController } from './controllers.ts';
/** A request that the sandbox served. */
export type { RequestRecord } from './http.ts';
/** What `sandbox.call` resolves to. */
export type { Answer } from './in-process.ts';

/** JSON values, and whether an unknown value is a JSON object or array. */
export { isJsonArray, isJsonObject } from './json.ts';
export type { JsonObject, JsonValue } from './json.ts';
