import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { execRun, type ExecRunFlags } from '../../src/cli/exec-run/exec-run.ts';
import type { AgentTimes } from '../../src/cli/exec-run/times.ts';
import { JOB_ENV, type JobClaim, type JobDesk, type JobTicket } from '../../src/hook/job-desk.ts';
import type { DeskAnswer, DeskCaller, RemoteLine, DeskRefusalStatus, RemoteResult } from '../../src/hook/remote-run.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { openJobServer, type JobServerOptions } from '../../src/server/jobs/job-server.ts';
import { createCertificate } from './certificate.ts';
import { never, temporaryFolder } from './hook-rig.ts';
import { recordingLogger } from './recording-logger.ts';
import { startProgram, type Program } from './program.ts';

export const JOB = 'hk-run-1';
export const TOKEN = 'token-of-pod-1';
export const CALLERS: Readonly<Record<string, DeskCaller>> = {
  [TOKEN]: { namespace: 'runs', account: 'default', pod: 'pod-1', podUid: 'uid-1' },
  'token-of-pod-1-renewed': { namespace: 'runs', account: 'default', pod: 'pod-1', podUid: 'uid-1' },
  'token-of-pod-2': { namespace: 'runs', account: 'default', pod: 'pod-2', podUid: 'uid-2' },
};

export function refused(status: DeskRefusalStatus, message = `it is ${status}`): DeskAnswer<never> {
  return { type: 'refused', status, message };
}

const OK: DeskAnswer<undefined> = { type: 'ok', value: undefined };

/** A desk with one run, which says what it got; what a test gives answers in place of it. */
export class FakeDesk implements JobDesk {
  readonly happened: string[] = [];
  readonly lines: RemoteLine[] = [];
  readonly results: RemoteResult[] = [];
  readonly claim: JobDesk['claim'];
  run: JobClaim;
  readonly #contexts: readonly Uint8Array[];
  #owner: string | undefined;
  isEnded = true;
  knowsClaims = true;

  constructor(run: Partial<JobClaim>, contexts: readonly Uint8Array[] = [Buffer.from('[{"binding":"x"}]')]) {
    this.#contexts = contexts;
    const contextBytes = contexts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const plain = { epoch: 1, runId: 'run-1', attempt: 1, plainExitCodes: false, hasContexts: true } as const;
    this.run = { ...plain, hook: 'hook.sh', hookHash: '', type: 'process', contextBytes, ...run };
    this.claim = async (job, { podUid }) => {
      this.happened.push('claim');
      if (job !== JOB) return refused(404, 'no such run');
      if (this.#owner !== undefined && this.#owner !== podUid) return refused(409, 'another Pod has it');
      this.#owner = podUid;
      this.knowsClaims = true;
      return { type: 'ok', value: this.run };
    };
  }

  /** The same with other answers. */
  answering(answers: Partial<JobDesk>): JobDesk {
    const { claim, contexts, output, result, fate } = this;
    return { claim, contexts, output, result, fate, ...answers };
  }

  readonly #checked = <T>({ job, caller, epoch }: JobTicket, answer: () => DeskAnswer<T>): DeskAnswer<T> => {
    if (job !== JOB || !this.knowsClaims) return refused(404, 'no such run');
    if (this.#owner !== caller.podUid) return refused(403, 'not the run of this Pod');
    return epoch === this.run.epoch ? answer() : refused(409, 'another claim counts');
  };

  readonly contexts: JobDesk['contexts'] = (ticket) =>
    this.#checked(ticket, () => {
      this.happened.push('contexts');
      return { type: 'ok', value: this.#contexts };
    });

  readonly output: JobDesk['output'] = (ticket, lines) =>
    this.#checked(ticket, () => {
      if (lines.length > 0) this.happened.push('output');
      this.lines.push(...lines);
      return OK;
    });

  readonly result: JobDesk['result'] = (ticket, result) =>
    this.#checked(ticket, () => {
      this.happened.push('result');
      this.results.push(result);
      return OK;
    });

  readonly fate: JobDesk['fate'] = async (ticket, waitMs, signal) => {
    for (let leftMs = waitMs; leftMs > 0 && !this.isEnded; leftMs -= 20) await sleep(20, signal);
    return this.#checked(ticket, () => ({
      type: 'ok',
      value: this.isEnded && this.results.length > 0 ? 'ended' : 'waiting',
    }));
  };
}

export const certificate = createCertificate();

/** A server of Jobs, closed at the end of the test. */
export async function openServer(desk: JobDesk, options: Partial<JobServerOptions> = {}) {
  const log = recordingLogger();
  const server = await openJobServer({
    address: '127.0.0.1',
    port: 0,
    flags: { address: '--address', port: '--port' },
    certificate: () => certificate,
    desk,
    identify: async (token) => CALLERS[token],
    log,
    ...options,
  });
  onTestFinished(async () => server.close());
  return Object.assign(server, { log, url: `https://127.0.0.1:${server.port}` });
}

/** A folder with hooks, and the environment of a Pod that has them. */
export function podRig(hooks: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const hooksDir = join(folder.path, 'hooks');
  mkdirSync(hooksDir);
  for (const [name, text] of Object.entries(hooks)) writeFileSync(join(hooksDir, name), text, { mode: 0o755 });
  const tokenFile = join(folder.path, 'token');
  writeFileSync(tokenFile, TOKEN);
  const runFolder = join(folder.path, 'run');
  const envOf = (...urls: readonly string[]) => ({
    [JOB_ENV.job]: JOB,
    [JOB_ENV.urls]: urls.join(','),
    [JOB_ENV.authority]: certificate.cert,
    [JOB_ENV.tokenFile]: tokenFile,
    HOOKLET_HOOKS_DIR: hooksDir,
    HOOKLET_TMP_DIR: join(folder.path, 'tmp'),
  });
  return {
    path: folder.path,
    tokenFile,
    runFolder,
    envOf,
    hashOf: (name: string) =>
      createHash('sha256')
        .update(readFileSync(join(hooksDir, name)))
        .digest('hex'),
    /** `hooklet exec-run` as a process. */
    start: (urls: string | readonly string[], ...flags: readonly string[]): Program =>
      startProgram(['exec-run', ...flags], { env: envOf(...[urls].flat()) }),
    /** The same in this process, with other times. */
    async run(
      urls: string | readonly string[],
      times: Partial<AgentTimes> = {},
      given: { flags?: ExecRunFlags; stop?: AbortSignal } = {},
    ) {
      let output = '';
      const exitCode = await execRun(given.flags ?? {}, {
        env: { ...process.env, ...envOf(...[urls].flat()) },
        stop: given.stop ?? never,
        write: (_stream, text) => (output += text),
        times: { retry: { initialMs: 10, maxMs: 50 }, ...times },
      });
      return { exitCode, output };
    },
  };
}

export const SHELL = '#!/bin/sh\n';
