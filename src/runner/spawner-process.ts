/*
 * The spawner process: a small process that starts hooks for the operator, so that the operator, whose memory may be
 * large, never forks. The operator starts it at boot and again when it dies, and sends requests through descriptor 3:
 * first `setup`, then `spawn`, `terminate`, `refill` and `ping`; `reset` makes it as new. When the operator closes the channel or dies, every
 * run is terminated and this process exits, so no hook outlives its operator.
 */

import { Socket } from 'node:net';
import { ActiveRuns } from './active-runs.ts';
import { encodeMessage, MessageReader } from './messages.ts';
import { PipePool } from './pipe-pool.ts';
import type { SpawnerReport, SpawnerRequest, SpawnerSettings } from './spawner-protocol.ts';
import { createCpuMeter } from './usage.ts';

// The channel to the operator; this process ends with it.
const OPERATOR_FD = 3;
// Limit for an operator that closes the channel but does not read the last reports.
const LAST_WORD_MS = 1000;

/** Serves requests until the operator closes the channel or dies. */
function serve(): void {
  const operator = new Socket({ fd: OPERATOR_FD, readable: true, writable: true, allowHalfOpen: true });
  const report = (message: SpawnerReport): void => {
    if (operator.writable) operator.write(encodeMessage(message));
  };
  let runs: ActiveRuns | undefined;
  const reader = new MessageReader<SpawnerRequest>({
    // Not validated: the sender is the operator of the same version, and nobody else has this descriptor.
    parse: (value) => value as SpawnerRequest,
    onMessage: (request) => {
      if (request.type === 'setup') runs = setUp(request, report);
      else if (request.type === 'ping') report({ type: 'pong' });
      else if (request.type === 'reset') {
        runs?.forget();
        runs = undefined;
        report({ type: 'reset' });
      } else runs?.handle(request);
    },
    onBad: () => process.exit(1),
  });
  // Lets a busy operator read the last reports; if the operator is gone, `end` fails at once.
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

// Ctrl-C in a terminal reaches the whole foreground group; the operator decides how to stop.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

serve();
