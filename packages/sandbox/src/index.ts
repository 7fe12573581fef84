// The public API of @hooklet/sandbox.

/**
 * Starts a Kubernetes API server in memory on a loopback port; it ends with `close`, or with `await using` at the end
 * of the block.
 */
export { startSandbox } from './sandbox.ts';
/** The options of `startSandbox`, and a running sandbox. */
export type { Sandbox, SandboxOptions } from './sandbox.ts';

/** The types of faults that `sandbox.faults.add` takes. */
export { FAULT_TYPES } from './faults.ts';
/** A fault: which requests it strikes, how often, and what happens to them. */
export type { Fault, FaultAction, Faults, RequestMatcher } from './faults.ts';

/** Stores objects in a sandbox as another API server has them. */
export type { Mirror } from './mirror.ts';

/** Reads the state of a sandbox from a file and writes it to a file, so that a later sandbox can start with it. */
export { readStateFile, writeStateFile } from './state-file.ts';
/** The state of a sandbox: all its objects. */
export type { StorageState } from './storage.ts';

/** Authorizes a request by its attributes, in the terms of RBAC. */
export type { AccessAttributes, Authorize } from './cluster.ts';
/** Resolves the services of webhooks. */
export type { ResolveService } from './webhooks/service-finder.ts';
/** The controllers that a sandbox can leave to real ones. */
export type { OptionalController } from './controllers.ts';
/** A request that the sandbox served. */
export type { RequestRecord } from './http.ts';
/** A request without a socket, and its response. */
export type { LocalRequest } from './http.ts';
export type { LocalResponse } from './response-port.ts';
/** What sees requests and events before they are answered and sent. */
export type { Tapped, TappedEvent, TappedRequest, Taps } from './taps.ts';
/** A write as `onWrite` is told of it. */
export type { ObservedWrite } from './observed-writes.ts';
/** The answer to which `sandbox.call` resolves. */
export type { Answer } from './in-process.ts';

/** JSON values, and whether an unknown value is a JSON object or array. */
export { isJsonArray, isJsonObject } from './json.ts';
export type { JsonObject, JsonValue } from './json.ts';
