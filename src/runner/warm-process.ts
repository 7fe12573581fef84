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

/** Loads the hook named on the command line once, and runs it as often as the operator asks. */
async function serve(path: string): Promise<void> {
  const operator = connect(process.env[WARM_SOCKET] ?? '');
  // Hooks may start programs of their own, which have no business with the operator.
  const token = process.env[WARM_TOKEN] ?? '';
  delete process.env[WARM_SOCKET];
  delete process.env[WARM_TOKEN];
  const report: Report = (message, payload) => {
    // Both at once, so that the operator need not wake twice.
    operator.cork();
    operator.write(encodeMessage(message));
    if (payload !== undefined && payload.length > 0) operator.write(payload);
    operator.uncork();
  };
  operator.on('error', ({ message }) => {
    process.stderr.write(`the connection to hooklet is lost: ${message}\n`);
    process.exit(1);
  });
  // First: loading the module may keep this thread busy for longer than the operator waits for a hello. It waits for the
  // module too, and ends this process then.
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
      process.stderr.write(`hooklet sent what is no request, ${reason}\n`);
      process.exit(1);
    },
    // The contexts are the operator's own.
    maxPayloadBytes: Number.MAX_SAFE_INTEGER,
  });
  operator.on('data', (chunk) => reader.push(chunk));
  // Without an operator there is nothing to do.
  operator.on('end', () => process.exit(0));
}

interface LoadedHook {
  readonly definition: RunnableHook;
  /** As JSON. */
  readonly config: Buffer;
}

/** The hook, or why there is none. */
async function load(path: string): Promise<LoadedHook | string> {
  try {
    const module: unknown = await import(pathToFileURL(path).href);
    const exported = typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
    if (!isHookDefinition(exported)) return `${path} does not export a hook: export default defineHook({ … })`;
    const config = Buffer.from(JSON.stringify(exported.config));
    return explainSize('config', config.length) ?? { definition: exported, config };
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : inspect(error);
  }
}

/** `hooklet` is this package for every hook, also where no node_modules is near. */
function resolveOwnPackage(): void {
  const isSource = import.meta.url.endsWith('.ts');
  const sdk = new URL(isSource ? '../sdk/index.ts' : './sdk.js', import.meta.url).href;
  registerHooks({ resolve: (specifier, context, next) => next(specifier === 'hooklet' ? sdk : specifier, context) });
}

await serve(process.argv[2] ?? '');
