import type { DebugView } from '../../hook/debug-view.ts';
import type { Leadership } from '../operator-parts.ts';
import { runAll } from '../../lib/run-all.ts';
import type { Logger } from '../../log.ts';
import { createControlServer, type ControlServer, type ControlServerOptions } from '../../server/control-server.ts';
import { createDebugServer } from '../../server/debug-server.ts';
import { refusalOf } from '../leadership.ts';
import type { Operator } from '../operator.ts';
import { notLeading, notWorking } from '../shards/shards-refusal.ts';
import type { Shards } from '../shards/shards.ts';

/** The socket through which `hooklet schedule` and others control this operator. */
export type ControlSocket = Pick<ControlServerOptions, 'path' | 'isRequired'>;

/** A port for the debug API. */
export interface DebugAddress {
  readonly address: string;
  readonly port: number;
}

export interface ControlSettings {
  /** Absent: there is no control socket. */
  readonly controlSocket?: ControlSocket;
  /** Where the debug API is too; absent: on the control socket alone. */
  readonly debugHttpAddr?: DebugAddress | undefined;
  readonly log: Logger;
}

interface Controlled {
  readonly operator: Pick<Operator, 'schedules' | 'view' | 'givenUp' | 'debug'>;
  readonly leadership: Pick<Leadership, 'status'> | undefined;
  /** Absent: objects are not divided. */
  readonly shards?: Pick<Shards, 'status' | 'hasBegun'> | undefined;
}

/** Opens the control socket, and the port of the debug API; undefined without a socket. */
export async function openControl(
  settings: ControlSettings,
  { operator: { schedules, view, debug, givenUp }, leadership, shards }: Controlled,
  ends: AsyncDisposableStack,
): Promise<Pick<ControlServer, 'run'> | undefined> {
  const { controlSocket, log } = settings;
  if (controlSocket === undefined) return undefined;
  const refusal = (): string | undefined => (shards === undefined ? refusalOf(leadership?.status) : notLeading(shards));
  // Each replica has the letters of its own slices.
  const deadRefusal = shards && ((): string | undefined => notWorking(shards));
  const controls = { schedules, view, debug, ...givenUp.controls, deadRefusal };
  const control = await createControlServer({ ...controlSocket, ...controls, refusal, log });
  ends.defer(async () => control.close());
  const port = await openDebug(settings, debug, ends);
  return {
    run: async (signal) => runAll([async (stop) => control.run(stop), async (stop) => port?.run(stop)], signal),
  };
}

async function openDebug(
  { debugHttpAddr, log }: ControlSettings,
  view: DebugView,
  ends: AsyncDisposableStack,
): Promise<Pick<ControlServer, 'run'> | undefined> {
  if (debugHttpAddr === undefined) return undefined;
  const server = await createDebugServer({ ...debugHttpAddr, view, log });
  ends.defer(async () => server.close());
  return server;
}
