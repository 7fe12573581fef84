import { describe, expect, it } from 'vitest';
import { ControlFailure, withOperator, type ControlIo, type DebugRequest } from '../../src/cli/control/client.ts';
import {
  askRaw,
  dumpMainQueue,
  dumpQueues,
  dumpSnapshots,
  isDumpAsked,
  listConfig,
  listHooks,
  setConfig,
} from '../../src/cli/views/debug-commands.ts';

/** Runs a command on an operator that answers each path with it, unless there is another answer. */
async function run(
  command: (io: ControlIo) => Promise<number>,
  { answer, times = 1 }: { readonly answer?: string | Error; readonly times?: number } = {},
) {
  const asked: DebugRequest[] = [];
  const controller = new AbortController();
  let [out, err] = ['', ''];
  const io: ControlIo = {
    client: {
      ask: async () => ({}),
      fetch: async (request) => {
        asked.push(request);
        if (asked.length === times) controller.abort();
        if (answer instanceof Error) throw answer;
        return Buffer.from(answer ?? `${request.path}\n`);
      },
    },
    stdout: (text) => void (out += text),
    stderr: (text) => void (err += text),
    raw: (output) => void (out += output.toString()),
    now: () => Date.UTC(2026, 0, 1),
    signal: controller.signal,
  };
  const code = await withOperator(command, io);
  return { code, out, err, asked };
}

describe('the debug commands', () => {
  it.each([
    ['queue list', async (io: ControlIo) => dumpQueues({}, io), '/queue/list.text?showEmpty=false\n'],
    [
      'queue list -e -o yaml',
      async (io: ControlIo) => dumpQueues({ showEmpty: true, output: 'yaml' }, io),
      '/queue/list.yaml?showEmpty=true\n',
    ],
    ['queue main', async (io: ControlIo) => dumpMainQueue(undefined, io), '/queue/main.text\n\n'],
    ['queue main -o json', async (io: ControlIo) => dumpMainQueue('json', io), '/queue/main.json\n\n'],
    ['hook list -o yaml', async (io: ControlIo) => listHooks('yaml', io), '/hook/list.yaml\n\n'],
    [
      'hook snapshot',
      async (io: ControlIo) => dumpSnapshots('db/a b.sh', 'json', io),
      '/hook/db/a%20b.sh/snapshots.json\n\n',
    ],
    ['config list', async (io: ControlIo) => listConfig(undefined, io), '/config/list.text\n\n'],
    ['raw /queue/list.json', async (io: ControlIo) => askRaw('/queue/list.json', io), '/queue/list.json\n\n'],
    ['raw queue/list.json', async (io: ControlIo) => askRaw('queue/list.json', io), '/queue/list.json\n\n'],
  ])('%s prints what the operator answers', async (_, command, out) => {
    expect(await run(command)).toMatchObject({ code: 0, out, err: '' });
  });

  it('hook snapshot makes YAML of JSON', async () => {
    const { out, asked } = await run(async (io) => dumpSnapshots('a.sh', 'yaml', io), {
      answer: '{"maps":{"x":"1"}}\n',
    });

    expect([out, asked]).toEqual(['maps:\n  x: "1"\n\n', [{ path: '/hook/a.sh/snapshots.json' }]]);
  });

  it.each([
    [
      { name: 'log.level', value: 'debug' },
      { name: 'log.level', value: 'debug' },
    ],
    [
      { name: 'log.level', value: 'debug', duration: '10m' },
      { name: 'log.level', value: 'debug', duration: '10m' },
    ],
  ])('config set sends %j', async (given, form) => {
    const { asked } = await run(async (io) => setConfig(given, io), { answer: '' });

    expect(asked).toEqual([{ path: '/config/set', form }]);
  });

  it('config set refuses a duration that is none', async () => {
    const set = { name: 'log.level', value: 'debug', duration: '5x' };

    await expect(run(async (io) => setConfig(set, io))).rejects.toThrow('invalid duration "5x"');
  });

  it('what is refused is an error', async () => {
    const answer = new ControlFailure("hook 'x' is not exist");

    expect(await run(async (io) => dumpSnapshots('x', undefined, io), { answer })).toMatchObject({
      code: 1,
      out: '',
      err: "hooklet: hook 'x' is not exist\n",
    });
  });

  it.each(['xml', 'TEXT', ''])('a format is not %j', async (output) => {
    await expect(run(async (io) => dumpQueues({ output }, io))).rejects.toThrow('expected one of text, json, yaml');
  });

  it('queue list --watch asks again until it is ended', async () => {
    const flags = { watch: true, watchInterval: '100ms' };
    const { code, out, asked } = await run(async (io) => dumpQueues(flags, io), { answer: 'queues\n', times: 2 });

    expect([code, asked.length]).toEqual([0, 2]);
    expect(out).toBe('\u001B[2J\u001B[H2026-01-01T00:00:00.000Z\n\nqueues\n'.repeat(2));
  });

  it('queue list --watch takes 1s for an interval that is none', async () => {
    const { err } = await run(async (io) => dumpQueues({ watch: true, watchInterval: 'x' }, io), { answer: '' });

    expect(err).toBe('--watchInterval: got "x", expected a duration such as 5s; it is 1s\n');
  });

  it.each([
    [{}, 'hooklet', false],
    [{ output: 'json' }, 'hooklet', false],
    [{ output: 'yaml' }, 'hooklet', true],
    [{ showEmpty: true }, 'hooklet', true],
    [{ watch: true }, 'hooklet', true],
    [{ watchInterval: '1s' }, 'hooklet', true],
    [{}, 'shell-operator', true],
    [{ output: 'json' }, 'shell-operator', true],
  ] as const)('queue list is that of shell-operator for %j as %s: %s', (flags, name, asked) => {
    expect(isDumpAsked(flags, name)).toBe(asked);
  });
});
