/*
 * The program of a warm process: it loads one hook and runs it as often as the operator requests. `WarmWorker` starts
 * it, with the path of the hook as its argument and the socket and a token in its environment. It connects, says hello
 * with the token, loads the module, reports `ready` with the config or `broken` with the error, and then serves `run`
 * and `abort` requests. It exits when the operator closes the connection.
 */

import { registerHooks } from 'node:module';
import { connect, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { pathToFileURL } from 'node:url';
import { latch } from '../lib/latch.ts';
import { type RunnableHook, isHookDefinition } from '../sdk/index.ts';
import { encodeMessage, MessageReader } from './messages.ts';
import { explainSize } from './output-limits.ts';
import { type Report, WarmRuns } from './warm-runs.ts';
import { MAX_ERROR_CHARS, WARM_SOCKET, WARM_TOKEN, type WarmRequest } from './warm-protocol.ts';
import { readRequest } from './warm-request.ts';

/** Loads the hook at `path` and serves the requests of the operator. */
async function serve(path: string): Promise<void> {
  const operator = connect(process.env[WARM_SOCKET] ?? '');
  // Removed from the environment: programs that the hook starts must not connect to the operator.
  const token = process.env[WARM_TOKEN] ?? '';
  delete process.env[WARM_SOCKET];
  delete process.env[WARM_TOKEN];
  const report: Report = (message, payload) => {
    // Sent together, so that the operator wakes only once.
    operator.cork();
    operator.write(encodeMessage(message));
    if (payload !== undefined && payload.length > 0) operator.write(payload);
    operator.uncork();
  };
  operator.on('error', ({ message }) => {
    process.stderr.write(`the connection to hooklet is lost: ${message}\n`);
    process.exit(1);
  });
  // Hello is sent first: loading the module may block this thread for longer than the operator waits for a hello.
  // Loading has a longer limit of its own, which the operator enforces.
  const greeted = latch();
  operator.write(encodeMessage({ type: 'hello', token }), () => greeted.resolve());
  await greeted.promise;
  resolveOwnPackage();

  const runs = new WarmRuns(report);
  const loaded = await load(path);
  if (typeof loaded === 'string') {
    report({ type: 'broken', error: loaded.slice(0, MAX_ERROR_CHARS).toWellFormed() });
    return;
  }
  const { definition, config } = loaded;
  listen(operator, (request, payload) => runs.handle(definition, request, payload));
  report({ type: 'ready', bytes: config.length }, config);
}

function listen(operator: Socket, onRequest: (request: WarmRequest, payload: Buffer) => void): void {
  const reader = new MessageReader<WarmRequest>({
    parse: readRequest,
    onMessage: onRequest,
    onBad: (reason) => {
      process.stderr.write(`hooklet sent an invalid request, ${reason}\n`);
      process.exit(1);
    },
    // The sender is the operator, so contexts need no limit.
    maxPayloadBytes: Number.MAX_SAFE_INTEGER,
  });
  operator.on('data', (chunk) => reader.push(chunk));
  // Without an operator there is nothing left to do.
  operator.on('end', () => process.exit(0));
}

interface LoadedHook {
  readonly definition: RunnableHook;
  /** The config as JSON. */
  readonly config: Buffer;
}

/** Returns the loaded hook, or the error text. */
async function load(path: string): Promise<LoadedHook | string> {
  try {
    const module: unknown = await import(pathToFileURL(path).href);
    const exported = typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
    if (!isHookDefinition(exported))
      return `${path} does not export a hook: export default defineHook({ … }), or reconcile({ … }, …)`;
    const config = Buffer.from(JSON.stringify(exported.config));
    return explainSize('config', config.length) ?? { definition: exported, config };
  } catch (error) {
    if (!(error instanceof Error)) return inspect(error);
    // Its message says all, and its stack nothing.
    return error.name === 'EnvironmentError' ? error.message : (error.stack ?? error.message);
  }
}

/** Resolves `hooklet` to this package for every hook, even without a node_modules folder nearby. */
function resolveOwnPackage(): void {
  const isSource = import.meta.url.endsWith('.ts');
  const sdk = new URL(isSource ? '../sdk/index.ts' : './sdk.js', import.meta.url).href;
  registerHooks({ resolve: (specifier, context, next) => next(specifier === 'hooklet' ? sdk : specifier, context) });
}

await serve(process.argv[2] ?? '');
