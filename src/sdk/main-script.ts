import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { getCallSites, inspect } from 'node:util';
import type { HookConfig } from './config.ts';
import type { DefinitionResult, HookHost, HookLog, LogFields } from './define-hook.ts';
import { logEntry } from './log-entry.ts';

const MAX_CALL_SITES = 200;

interface Program {
  readonly config: HookConfig;
  execute(contexts: unknown, host: HookHost): Promise<DefinitionResult>;
}

/** Whether the main script is on the call stack, so that importing a hook in a test does not run it. */
export function isCalledFromMainScript(): boolean {
  const main = realPath(process.argv[1]);
  return main !== undefined && getCallSites(MAX_CALL_SITES).some(({ scriptName }) => realPath(scriptName) === main);
}

function realPath(script: string | undefined): string | undefined {
  if (script === undefined || script === '' || script.startsWith('node:')) return undefined;
  try {
    return realpathSync(script.startsWith('file:') ? fileURLToPath(script) : script);
  } catch {
    return undefined;
  }
}

/**
 * Behaves as a process hook: prints the config for `--config`, else runs once with the files that the environment
 * names.
 */
export function runAsProgram(program: Program): void {
  // Wait until the rest of the module has been evaluated.
  setImmediate(() => {
    void main(program).then((exitCode) => process.exit(exitCode));
  });
}

async function main(program: Program): Promise<number> {
  if (process.argv.includes('--config')) {
    process.stdout.write(`${JSON.stringify(program.config)}\n`);
    return 0;
  }
  const { BINDING_CONTEXT_PATH, RUN_ID, TRACEPARENT } = process.env;
  if (BINDING_CONTEXT_PATH === undefined) {
    process.stderr.write(
      'BINDING_CONTEXT_PATH is not set; to run this hook by hand use: hooklet run FILE --context -\n',
    );
    return 1;
  }
  const controller = new AbortController();
  process.once('SIGTERM', () => controller.abort());
  try {
    const contexts: unknown = JSON.parse(readFileSync(BINDING_CONTEXT_PATH, 'utf8'));
    const host = {
      log: jsonLog,
      signal: controller.signal,
      ...(RUN_ID !== undefined && { runId: RUN_ID }),
      ...(TRACEPARENT !== undefined && { traceparent: TRACEPARENT }),
    };
    const ended = await program.execute(contexts, host);
    writeOutputs(ended);
    return ended.error === undefined ? EXIT_CODES[ended.outcome ?? 'done'] : complain(ended.error);
  } catch (error) {
    return complain(error);
  }
}

const EXIT_CODES = { done: 0, later: 75, permanent: 78 } as const;

function writeOutputs({ patch, metrics, admission, conversion, result, outcome }: DefinitionResult): void {
  const { KUBERNETES_PATCH_PATH, METRICS_PATH, VALIDATING_RESPONSE_PATH, CONVERSION_RESPONSE_PATH, RESULT_PATH } =
    process.env;
  if (patch !== '') writeFileSync(requiredPath('KUBERNETES_PATCH_PATH', KUBERNETES_PATCH_PATH), patch);
  if (metrics !== '') writeFileSync(requiredPath('METRICS_PATH', METRICS_PATH), metrics);
  if (admission !== undefined) {
    writeFileSync(requiredPath('VALIDATING_RESPONSE_PATH', VALIDATING_RESPONSE_PATH), admission);
  }
  if (conversion !== undefined) {
    writeFileSync(requiredPath('CONVERSION_RESPONSE_PATH', CONVERSION_RESPONSE_PATH), conversion);
  }
  // A runner that reads no results still has the exit code.
  if (RESULT_PATH === undefined && outcome !== undefined) process.stderr.write(result);
  else if (result !== '') writeFileSync(requiredPath('RESULT_PATH', RESULT_PATH), result);
}

function complain(error: unknown): number {
  process.stderr.write(`${error instanceof Error ? inspect(error) : String(error)}\n`);
  return 1;
}

function requiredPath(name: string, path: string | undefined): string {
  if (path === undefined) throw new Error(`${name} is not set`);
  return path;
}

const jsonLog: HookLog = {
  debug: (message, fields) => writeLog('debug', message, fields),
  info: (message, fields) => writeLog('info', message, fields),
  warn: (message, fields) => writeLog('warn', message, fields),
  error: (message, fields) => writeLog('error', message, fields),
};

function writeLog(level: keyof HookLog, message: string, given: LogFields | undefined): void {
  const { message: msg, fields } = logEntry(message, given);
  process.stdout.write(`${JSON.stringify({ level, msg, ...fields })}\n`);
}
