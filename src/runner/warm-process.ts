import { registerHooks } from 'node:module';
import { connect, type Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import { type RunnableHook, isHookDefinition } from '../sdk/index.ts';
import { encodeMessage, MessageReader } from './messages.ts';
import { WarmRuns } from './warm-runs.ts';
import { WARM_SOCKET, WARM_TOKEN, type WarmReport, type WarmRequest } from './warm-protocol.ts';

/** Loads the hook named on the command line once, and runs it as often as the operator asks. */
async function serve(path: string): Promise<void> {
  const operator = connect(process.env[WARM_SOCKET] ?? '');
  // Hooks may start programs of their own, which have no business with the operator.
  const token = process.env[WARM_TOKEN] ?? '';
  delete process.env[WARM_SOCKET];
  delete process.env[WARM_TOKEN];
  const report = (message: WarmReport): boolean => operator.write(encodeMessage(message));
  report({ type: 'hello', token });
  resolveOwnPackage();

  const runs = new WarmRuns(report);
  const definition = await load(path);
  if (typeof definition === 'string') {
    report({ type: 'broken', error: definition });
    return;
  }
  listen(operator, new MessageReader<WarmRequest>((request, payload) => runs.handle(definition, request, payload)));
  report({ type: 'ready', config: JSON.stringify(definition.config) });
}

function listen(operator: Socket, reader: MessageReader<WarmRequest>): void {
  operator.on('data', (chunk) => reader.push(chunk));
  operator.on('error', () => process.exit(1));
  // Without an operator there is nothing to do.
  operator.on('end', () => process.exit(0));
}

/** The hook, or why there is none. */
async function load(path: string): Promise<RunnableHook | string> {
  try {
    const module: unknown = await import(pathToFileURL(path).href);
    const exported = typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
    return isHookDefinition(exported) ? exported : `${path} does not export a hook: export default defineHook({ … })`;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

/** `hooklet` is this package for every hook, also where no node_modules is near. */
function resolveOwnPackage(): void {
  const isSource = import.meta.url.endsWith('.ts');
  const sdk = new URL(isSource ? '../sdk/index.ts' : './sdk.js', import.meta.url).href;
  registerHooks({ resolve: (specifier, context, next) => next(specifier === 'hooklet' ? sdk : specifier, context) });
}

await serve(process.argv[2] ?? '');
