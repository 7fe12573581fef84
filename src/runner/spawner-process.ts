import { Socket } from 'node:net';
import { ActiveRuns } from './active-runs.ts';
import { encodeMessage, MessageReader } from './messages.ts';
import { PipePool } from './pipe-pool.ts';
import type { SpawnerReport, SpawnerRequest, SpawnerSettings } from './spawner-protocol.ts';
import { createCpuMeter } from './usage.ts';

// The operator talks to us through this descriptor; when it ends, so do we.
const OPERATOR_FD = 3;
// An operator that closes the connection and then does not read is not waited for.
const LAST_WORD_MS = 1000;

/** Starts what the operator asks for, until the operator closes the connection or dies. */
function serve(): void {
  const operator = new Socket({ fd: OPERATOR_FD, readable: true, writable: true, allowHalfOpen: true });
  const report = (message: SpawnerReport): void => {
    if (operator.writable) operator.write(encodeMessage(message));
  };
  let runs: ActiveRuns | undefined;
  const reader = new MessageReader<SpawnerRequest>({
    // The parsing edge: who starts us is of our version, and nobody else has this descriptor.
    parse: (value) => value as SpawnerRequest,
    onMessage: (request) => {
      if (request.type === 'setup') runs = setUp(request, report);
      else if (request.type === 'ping') report({ type: 'pong' });
      else runs?.handle(request);
    },
    onBad: () => process.exit(1),
  });
  // What was reported last may still be on its way to an operator that is busy; one that is gone fails it at once.
  const exit = (): void => {
    operator.end(() => process.exit(0));
    setTimeout(() => process.exit(0), LAST_WORD_MS);
  };
  const leave = (): void => {
    if (runs === undefined) exit();
    else runs.end(exit);
  };

  operator.on('data', (chunk) => reader.push(chunk));
  operator.on('error', leave);
  operator.on('end', leave);
  operator.on('close', leave);
}

function setUp(settings: SpawnerSettings, report: (message: SpawnerReport) => void): ActiveRuns {
  const pipes = new PipePool(settings.folder);
  const baseEnv = definedEntries(process.env);
  const runs = new ActiveRuns(settings, { pipes, takeCpu: createCpuMeter(), baseEnv, report });
  report({ type: 'ready' });
  return runs;
}

function definedEntries(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

// Ctrl-C in a terminal reaches the whole foreground group: how to stop is for the operator to say.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

serve();
