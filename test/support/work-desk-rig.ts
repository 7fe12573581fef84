import type { DeskAnswer, RemoteLine, RemoteResult, RemoteRun } from '../../src/hook/remote-run.ts';
import type { HandedRun, HeldRun, WorkDesk, WorkerHello, WorkerTicket, WorkTicket } from '../../src/hook/work-desk.ts';

export const WORKER = 'worker_1-x';
export const RUN: RemoteRun = {
  runId: 'run-1',
  attempt: 1,
  hook: 'hook.sh',
  hookHash: 'ab',
  type: 'process',
  plainExitCodes: false,
  contextBytes: 3,
};
const OK: DeskAnswer<undefined> = { type: 'ok', value: undefined };

/** What was asked of a desk. */
export interface AskedOfDesk {
  readonly what: keyof WorkDesk;
  readonly ticket?: WorkerTicket | WorkTicket;
  readonly given?: WorkerHello | readonly HeldRun[] | readonly RemoteLine[] | RemoteResult | number;
  readonly waitMs?: number;
}

/** A desk of workers that notes what it was asked, and answers with what a test gives, or the least. */
export function fakeWorkDesk(answers: Partial<WorkDesk> = {}): WorkDesk & { readonly asked: AskedOfDesk[] } {
  const asked: AskedOfDesk[] = [];
  const note = <T>(entry: AskedOfDesk, answer: T): T => {
    asked.push(entry);
    return answer;
  };
  const handed: readonly HandedRun[] = [];
  return {
    asked,
    hello: (given, caller) =>
      note(
        { what: 'hello', given, ticket: { worker: '', caller } },
        { type: 'ok', value: { worker: WORKER, beatMs: 5000, silenceMs: 15_000 } },
      ),
    beat: (ticket, given) => note({ what: 'beat', ticket, given }, { type: 'ok', value: [] }),
    ends: async (ticket, { waitMs }) => note({ what: 'ends', ticket, waitMs }, { type: 'ok', value: [] }),
    claim: async (ticket, given, { waitMs }) =>
      note({ what: 'claim', ticket, given, waitMs }, { type: 'ok', value: handed }),
    holds: (ticket) => note({ what: 'holds', ticket }, OK),
    contexts: (ticket) =>
      note({ what: 'contexts', ticket }, { type: 'ok', value: [Buffer.from('[1'), Buffer.from(']')] }),
    output: (ticket, given) => note({ what: 'output', ticket, given }, OK),
    result: (ticket, given) => note({ what: 'result', ticket, given }, OK),
    leave: (ticket) => note({ what: 'leave', ticket }, OK),
    ...answers,
  };
}
