import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { DeskAnswer, RemoteLine, RemoteResult } from '../../../src/hook/remote-run.ts';
import type { HandedRun, WorkDesk } from '../../../src/hook/work-desk.ts';
import { sleep } from '../../../src/lib/sleep.ts';
import { TOKEN } from '../../support/job-rig.ts';
import { workServer } from '../../support/work-server-rig.ts';
import { SHELL, workerRig } from '../../support/worker-rig.ts';

const MIB = 1024 * 1024;
const SLOW = { timeout: 20_000 };
const OK: DeskAnswer<undefined> = { type: 'ok', value: undefined };

it('a worker has a run with 30 MiB of contexts and 20 MiB of results through the server of the operator', async () => {
  const script = `wc -c < "$BINDING_CONTEXT_PATH"; head -c 20M /dev/zero | tr "\\0" x > "$CONVERSION_RESPONSE_PATH"`;
  const rig = workerRig({ 'hook.sh': `${SHELL}${script}\n` });
  writeFileSync(rig.tokenFile, TOKEN);
  const contexts = Array.from({ length: 30 }, () => Buffer.alloc(MIB, 'x'));
  const waiting: HandedRun[] = [{ run: rig.runOf('r1', 'hook.sh', { contextBytes: 30 * MIB }), epoch: 2 }];
  const lines: RemoteLine[] = [];
  const results: RemoteResult[] = [];
  const desk: Partial<WorkDesk> = {
    claim: async (_ticket, free, { waitMs, signal }) => {
      if (waiting.length === 0) await sleep(waitMs, signal);
      return { type: 'ok', value: waiting.splice(0, free) };
    },
    ends: async (_ticket, { waitMs, signal }) => {
      await sleep(waitMs, signal);
      return { type: 'ok', value: [] };
    },
    contexts: () => ({ type: 'ok', value: contexts }),
    output: ({ epoch }, given) => {
      expect(epoch).toBe(2);
      lines.push(...given);
      return OK;
    },
    result: (_ticket, result) => {
      results.push(result);
      return OK;
    },
  };
  const { server, desk: noted } = await workServer(desk);
  const worker = rig.work(server.url);

  await expect.poll(() => results, SLOW).toMatchObject([{ type: 'exited' }]);
  const [result] = results;
  expect(result?.type === 'exited' && result.files.conversion.length).toBe(20 * MIB);
  expect(lines).toEqual([{ stream: 'stdout', line: String(30 * MIB) }]);
  worker.stop();
  await worker.ended;
  expect(noted.asked.map(({ what }) => what)).toContain('leave');
});
