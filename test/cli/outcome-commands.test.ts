import { describe, expect, it } from 'vitest';
import { dropDead, listDead, retryDead, showDead, type DeadFlags } from '../../src/cli/views/dead-commands.ts';
import { pause, resume } from '../../src/cli/views/pause-commands.ts';
import type { AskIo } from '../../src/cli/control/client.ts';
import type { DeadLetterDocument } from '../../src/server/outcome-documents.ts';

const letters: readonly DeadLetterDocument[] = [
  {
    id: '5f2c90aa',
    hook: 'sync.sh',
    hookIs: 'changed',
    binding: 'pods',
    trigger: { type: 'event', watchEvent: 'Modified', kind: 'Pod', namespace: 'default', name: 'web' },
    why: 'permanent',
    reason: 'NoLicense',
    message: `the license of default/web\nhas ended ${'x'.repeat(100)}`,
    attempts: 1,
    first: '2026-01-01T00:00:00.000Z',
    last: '2026-01-01T00:00:00.000Z',
    runId: 'run-1',
  },
  {
    id: 'c1d04e7b',
    hook: 'old.sh',
    hookIs: 'gone',
    binding: 'nightly',
    trigger: { type: 'schedule', runId: 'r', scheduledAt: '2026-01-01T03:00:00.000Z' },
    why: 'exhausted',
    message: 'exit code 1',
    attempts: 5,
    first: '2026-01-01T00:00:00.000Z',
    last: '2026-01-01T00:01:00.000Z',
    runId: 'run-2',
  },
];

/** A command with answers of the operator; returns what it asked and printed. */
async function run(command: (io: AskIo) => Promise<number>, answer: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  let [out, err] = ['', ''];
  const code = await command({
    client: {
      ask: async (method, path) => {
        asked.push(`${method} ${path}`);
        return answer;
      },
    },
    stdout: (text) => void (out += text),
    stderr: (text) => void (err += text),
    now: () => Date.parse('2026-01-01T00:02:00.000Z'),
  });
  return { code, asked, out, err };
}

describe('hooklet dead', () => {
  it('lists letters in columns, with a brief message', async () => {
    const { out, code } = await run(async (io) => listDead({}, io), { letters });

    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'ID | HOOK | BINDING | ABOUT | WHY | ATTEMPTS | LAST | MESSAGE',
      `5f2c90aa | sync.sh | pods | Modified Pod default/web | permanent (NoLicense) | 1 | 2m ago | the license of default/web has ended ${'x'.repeat(22)}…`,
      'c1d04e7b | old.sh (gone) | nightly | tick 2026-01-01T03:00:00.000Z | exhausted | 5 | 1m ago | exit code 1',
      '',
    ]);
  });

  it('lists all that is known with -o wide, and as JSON', async () => {
    const { out } = await run(async (io) => listDead({ output: 'wide' }, io), { letters });
    expect(out).toContain('HOOK FILE');
    expect(out).toMatch(/changed {3,}run-1 {2,}the license of default\/web has ended x{100}\n/);

    const json = await run(async (io) => listDead({ output: 'json', hook: 'old.sh' }, io), { letters });
    expect(JSON.parse(json.out)).toEqual([letters[1]]);
  });

  it.each<[DeadFlags, number]>([
    [{ reason: 'NoLicense' }, 1],
    [{ reason: 'exhausted' }, 1],
    [{ object: 'default/web' }, 1],
    [{ object: 'web' }, 0],
    [{ hook: 'sync.sh', object: 'default/web' }, 1],
  ])('lists those of %j', async (flags, count) => {
    const { out } = await run(async (io) => listDead({ ...flags, output: 'json' }, io), { letters });

    expect(JSON.parse(out)).toHaveLength(count);
  });

  it('says that there are none, and why nothing can be changed here', async () => {
    const { out, err } = await run(async (io) => listDead({}, io), { letters: [], note: 'this replica stands by' });

    expect(out).toBe('No dead letters.\n');
    expect(err).toBe('this replica stands by\n');
  });

  it('shows one', async () => {
    const { out } = await run(async (io) => showDead('c1d04e7b', io), { letters });
    expect(JSON.parse(out)).toEqual(letters[1]);
    await expect(run(async (io) => showDead('nope', io), { letters })).rejects.toThrow('no dead letter "nope"');
  });

  it('retries by id, by filter and all at once, and says how many', async () => {
    const answer = { retried: 1, hookGone: 1, objectGone: 0 };
    const ids = await run(async (io) => retryDead(['a', 'b'], {}, io), answer);
    expect(ids).toEqual({
      code: 0,
      asked: ['POST /dead/retry?id=a', 'POST /dead/retry?id=b'],
      out: '2 retried\n',
      err: '2 kept: the hook or its binding is gone\n',
    });
    const filter = await run(async (io) => retryDead([], { hook: 'db/a.sh', reason: 'X' }, io), answer);
    expect(filter.asked).toEqual(['POST /dead/retry?hook=db%2Fa.sh&reason=X']);
    const all = await run(async (io) => dropDead([], { all: true }, io), { dropped: 7 });
    expect(all).toMatchObject({ asked: ['POST /dead/drop?all=true'], out: '7 dropped\n' });
  });

  it('does not act on all by accident', async () => {
    await expect(run(async (io) => dropDead([], {}, io), {})).rejects.toThrow('or --all');
    await expect(run(async (io) => dropDead(['a'], { all: true }, io), {})).rejects.toThrow('not both');
    await expect(run(async (io) => listDead({}, io), {})).rejects.toThrow('is it an older one?');
  });
});

describe('hooklet pause', () => {
  it('lists what is paused', async () => {
    const pauses = [
      { type: 'hook', hook: 'a.sh', by: 'hand', since: '2026-01-01T00:00:00.000Z', held: 3 },
      { type: 'object', kind: 'Pod', namespace: 'default', name: 'web', hook: 'a.sh', by: 'hand', held: 0 },
      { type: 'namespace', namespace: 'shop', by: 'annotation', held: 2 },
    ];
    const { out } = await run(async (io) => pause(undefined, {}, io), { pauses });

    expect(out.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'PAUSED | BY | SINCE | WAITING',
      'hook a.sh | hand | 2m ago | 3',
      'object Pod/default/web of a.sh | hand | - | 0',
      'namespace shop | annotation | - | 2',
      '',
    ]);
    expect((await run(async (io) => pause(undefined, {}, io), { pauses: [] })).out).toBe('Nothing is paused.\n');
  });

  it.each<[string | undefined, object, string]>([
    ['db/a.sh', {}, 'hook=db%2Fa.sh'],
    [undefined, { queue: 'main' }, 'queue=main'],
    [undefined, { object: 'default/web' }, 'namespace=default&name=web'],
    [undefined, { object: 'Pod/default/web', hook: 'a.sh' }, 'kind=Pod&namespace=default&name=web&hook=a.sh'],
    [undefined, { object: 'node-1' }, 'name=node-1'],
    [undefined, { object: 'Node//node-1' }, 'kind=Node&name=node-1'],
  ])('pauses and resumes %j %j', async (hook, flags, query) => {
    const paused = await run(async (io) => pause(hook, flags, io), { kept: true });
    expect(paused).toMatchObject({ asked: [`POST /pauses/pause?${query}`], err: '' });
    const resumed = await run(async (io) => resume(hook, flags, io), { released: 2 });
    expect(resumed.asked).toEqual([`POST /pauses/resume?${query}`]);
    expect(resumed.out).toMatch(/ resumed, 2 released\n$/);
  });

  it('warns of a pause that a restart will end', async () => {
    const { err } = await run(async (io) => pause('a.sh', {}, io), { kept: false });

    expect(err).toContain('Start it with --dead-letters.');
  });

  it.each<[string | undefined, object, string]>([
    ['a.sh', { queue: 'main' }, 'give one of'],
    ['a.sh', { object: 'x' }, 'give one of'],
    [undefined, { hook: 'a.sh' }, '--hook belongs to --object'],
    [undefined, { object: 'a/b/c/d' }, 'expected namespace/name'],
    [undefined, { object: 'default/' }, 'expected namespace/name'],
    [undefined, {}, 'give a hook, --queue or --object'],
  ])('refuses %j %j', async (hook, flags, message) => {
    await expect(run(async (io) => resume(hook, flags, io), {})).rejects.toThrow(message);
  });
});
