import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import type { DefinitionResult, HookHost, HookLog, RunnableHook } from '../sdk/index.ts';
import { logEntry } from '../sdk/log-entry.ts';
import { thrownText } from '../sdk/plain-value.ts';
import { explainSize, PRINTED_LIMIT_BYTES } from './output-limits.ts';
import { RunOutput } from './run-output.ts';
import type { OutputStream, Usage } from './spawner-protocol.ts';
import {
  type HookLogEntry,
  MAX_ERROR_CHARS,
  type RunReport,
  type WarmReport,
  type WarmRequest,
} from './warm-protocol.ts';

const RSS_INTERVAL_MS = 250;
const EMPTY = Buffer.alloc(0);

/** Sends a report to the operator; the payload follows it. */
export type Report = (report: WarmReport, payload?: Buffer) => void;

type RunRequest = Extract<WarmRequest, { readonly type: 'run' }>;

/** The runs inside a warm process. Output is attributed to its run, so several may be in progress at once. */
export class WarmRuns {
  readonly #report: Report;
  readonly #output = new AsyncLocalStorage<RunOutput>();
  readonly #outside: RunOutput;
  readonly #controllers = new Map<number, AbortController>();
  #rssBytes = process.memoryUsage.rss();
  #rssReadAt = performance.now();

  constructor(report: Report) {
    this.#report = report;
    this.#outside = this.#openOutput();
    for (const stream of ['stdout', 'stderr'] as const) this.#capture(stream);
  }

  handle(definition: RunnableHook, request: WarmRequest, payload: Buffer): void {
    if (request.type === 'abort') this.#controllers.get(request.id)?.abort();
    else void this.#run(definition, request, payload);
  }

  async #run(definition: RunnableHook, { id, runId, traceparent }: RunRequest, payload: Buffer): Promise<void> {
    const controller = new AbortController();
    const output = this.#openOutput(id);
    const cpu = process.cpuUsage();
    this.#controllers.set(id, controller);
    const host = {
      log: this.#openLog(id, output),
      signal: controller.signal,
      runId,
      ...(traceparent && { traceparent }),
    };
    const result = await this.#output.run(output, async () => execute(definition, payload, host));
    this.#controllers.delete(id);
    output.end();
    const { outputs, failure, ...sizes } = encodeResult(result);
    const run = { id, bytes: outputs.length, ...sizes, usage: this.#usageSince(cpu) };
    this.#report(failure === undefined ? { type: 'done', ...run } : { type: 'failed', ...failure, ...run }, outputs);
  }

  #openOutput(id?: number): RunOutput {
    return new RunOutput({
      limitBytes: PRINTED_LIMIT_BYTES,
      isImmediate: true,
      onLines: (lines) => this.#report({ type: 'output', lines, ...(id === undefined ? {} : { id }) }),
    });
  }

  #openLog(id: number, output: RunOutput): HookLog {
    const write =
      (level: HookLogEntry['level']) =>
      (message: string, fields?: Readonly<Record<string, unknown>>): void => {
        const entry = { level, ...logEntry(message, fields) };
        if (output.take(JSON.stringify(entry).length)) this.#report({ type: 'log', id, entry });
      };
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  }

  /** Redirects what is printed to the run that prints it, or to the output outside of runs. */
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

  // Reading the memory usage takes longer than a small run, so it is not read for each run.
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
  try {
    const contexts: unknown = JSON.parse(payload.toString());
    return await definition.execute(contexts, host);
  } catch (error) {
    return { patch: '', metrics: '', result: '', error };
  }
}

interface Failure {
  readonly reason: string;
  readonly error: string;
}

interface EncodedResult extends OutputSizes {
  /** All outputs, one after the other. */
  readonly outputs: Buffer;
  readonly failure?: Failure | undefined;
}

type OutputSizes = Required<Pick<RunReport, 'patchBytes' | 'admissionBytes' | 'conversionBytes' | 'resultBytes'>>;

/** Outputs that are too large are not sent and make the run fail. */
function encodeResult(result: DefinitionResult): EncodedResult {
  // A definition of an older release of the SDK has neither a result nor responses.
  const outputs = OUTPUTS.map((name) => Buffer.from(result[name] ?? ''));
  const bytesOf = (name: (typeof OUTPUTS)[number]): number => outputs[OUTPUTS.indexOf(name)]?.length ?? 0;
  const [problem] = OUTPUTS.flatMap((name) => explainSize(name, bytesOf(name)) ?? []);
  const threw = 'error' in result ? { reason: 'its function threw', error: describeError(result.error) } : undefined;
  if (problem !== undefined) return { ...NOTHING, failure: { reason: problem, error: threw?.error ?? '' } };
  return {
    outputs: Buffer.concat(outputs),
    patchBytes: bytesOf('patch'),
    admissionBytes: bytesOf('admission'),
    conversionBytes: bytesOf('conversion'),
    resultBytes: bytesOf('result'),
    failure: threw,
  };
}

/** In the order in which they are sent. */
const OUTPUTS = ['patch', 'metrics', 'admission', 'conversion', 'result'] as const;

const NOTHING = { outputs: EMPTY, patchBytes: 0, admissionBytes: 0, conversionBytes: 0, resultBytes: 0 };

function describeError(error: unknown): string {
  const text = textOf(error);
  return text.length > MAX_ERROR_CHARS ? `${text.slice(0, MAX_ERROR_CHARS).toWellFormed()}…` : text;
}

/** The getters of an error may throw themselves. */
function textOf(error: unknown): string {
  try {
    return error instanceof Error ? inspect(error) : thrownText(error);
  } catch {
    return thrownText(error);
  }
}
