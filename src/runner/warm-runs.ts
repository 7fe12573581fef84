import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import type { DefinitionResult, HookHost, HookLog, RunnableHook } from '../sdk/index.ts';
import { RunOutput } from './run-output.ts';
import type { OutputStream, Usage } from './spawner-protocol.ts';
import type { HookLogEntry, WarmReport, WarmRequest } from './warm-protocol.ts';

const OUTPUT_LIMIT_BYTES = 1024 * 1024;
const RSS_INTERVAL_MS = 250;

/** The runs inside a warm process: each knows its own output, so that several may be under way. */
export class WarmRuns {
  readonly #report: (report: WarmReport) => void;
  readonly #output = new AsyncLocalStorage<RunOutput>();
  readonly #outside: RunOutput;
  readonly #controllers = new Map<number, AbortController>();
  #rssBytes = process.memoryUsage.rss();
  #rssReadAt = performance.now();

  constructor(report: (report: WarmReport) => void) {
    this.#report = report;
    this.#outside = this.#openOutput();
    for (const stream of ['stdout', 'stderr'] as const) this.#capture(stream);
  }

  handle(definition: RunnableHook, request: WarmRequest, payload: Buffer): void {
    if (request.type === 'abort') this.#controllers.get(request.id)?.abort();
    else void this.#run(definition, request.id, payload);
  }

  async #run(definition: RunnableHook, id: number, payload: Buffer): Promise<void> {
    const controller = new AbortController();
    const output = this.#openOutput(id);
    const cpu = process.cpuUsage();
    this.#controllers.set(id, controller);
    const host = { log: this.#openLog(id), signal: controller.signal };
    const { patch, metrics, error } = await this.#output.run(output, () => execute(definition, payload, host));
    this.#controllers.delete(id);
    output.end();
    const usage = this.#usageSince(cpu);
    if (error === undefined) this.#report({ type: 'done', id, outputs: { patch, metrics }, usage });
    else this.#report({ type: 'failed', id, error: describeError(error), patch, metrics, usage });
  }

  #openOutput(id?: number): RunOutput {
    return new RunOutput({
      limitBytes: OUTPUT_LIMIT_BYTES,
      isImmediate: true,
      onLines: (lines) => this.#report({ type: 'output', lines, ...(id === undefined ? {} : { id }) }),
    });
  }

  #openLog(id: number): HookLog {
    const write =
      (level: HookLogEntry['level']) =>
      (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
        this.#report({ type: 'log', id, entry: { level, message, fields } });
      };
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  }

  /** What the hook prints goes to the run it was printed in. */
  #capture(stream: OutputStream): void {
    const write = (chunk: string | Uint8Array, encoding?: unknown, callback?: unknown): boolean => {
      const output = this.#output.getStore() ?? this.#outside;
      output.push(stream, typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk));
      const done = typeof encoding === 'function' ? encoding : callback;
      if (typeof done === 'function') process.nextTick(() => done());
      return true;
    };
    process[stream].write = write;
  }

  // The system's answer takes longer than a small run, so it is not asked for each.
  #usageSince(before: NodeJS.CpuUsage): Usage {
    if (performance.now() - this.#rssReadAt > RSS_INTERVAL_MS) {
      this.#rssBytes = process.memoryUsage.rss();
      this.#rssReadAt = performance.now();
    }
    const { user, system } = process.cpuUsage(before);
    return { userCpuMs: user / 1000, systemCpuMs: system / 1000, maxRssBytes: this.#rssBytes };
  }
}

async function execute(definition: RunnableHook, payload: Buffer, host: HookHost): Promise<DefinitionResult> {
  let contexts: unknown;
  try {
    contexts = JSON.parse(payload.toString());
  } catch (error) {
    return { patch: '', metrics: '', error };
  }
  return definition.execute(contexts, host);
}

function describeError(error: unknown): string {
  return error instanceof Error ? inspect(error) : String(error);
}
