import { describe, expect, it } from 'vitest';
import { RunHistory } from '../../../src/run/history.ts';
import { endedWhole } from '../../../src/run/journal.ts';
import { pageRig, letterOf } from '../../support/page-rig.ts';

const EVIL = '"><img src=x onerror=alert(1)>\u202E';

describe('the views of the page', () => {
  it('show what runs, with its queue, and what a hook printed, as text', async () => {
    const rig = await pageRig();
    const run = rig.start('web', 'aaaa-1');
    rig.print(run, `<script>alert("${EVIL}")</script>`);

    expect((await rig.get('/')).text).toContain('href="/run?id=aaaa-1"');
    const { text } = await rig.get('/run?id=aaaa');
    expect(text).toContain('&lt;script&gt;alert(');
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('\u202E');
    expect(text).not.toContain('<img src=x');
  });

  it('show a run that has not ended against its limit of time, and the memory that all share', async () => {
    const rig = await pageRig();
    rig.start('web', 'aaaa-1');
    expect((await rig.get('/')).text).toContain('<span class="none">none</span>');

    rig.state.memory = { usedBytes: 128 * 1024 * 1024, limitBytes: 256 * 1024 * 1024 };
    // It has run for 3,599 s.
    for (const [timeoutMs, shown] of [
      [7_200_000, '2.0 h, ends <time datetime="2026-01-05T13:00:01.000Z"'],
      [4_000_000, '<span class="b warn">close</span>'],
      [3_600_000, '<span class="b warn">close</span>'],
      [3_000_000, '<span class="b bad">over</span>'],
    ] as const) {
      rig.state.timeouts = { 'hook.sh': timeoutMs };
      expect((await rig.get('/')).text).toContain(shown);
      expect((await rig.get('/run?id=aaaa')).text).toContain(shown);
    }
    expect((await rig.get('/')).text).toContain('with hooklet they use 128.0 MiB of 256.0 MiB memory');
    expect((await rig.get('/replicas')).text).toContain('128.0 MiB of 256.0 MiB, with its hooks');
  });

  it('show the replicas beside this one, and what may not be read of them', async () => {
    const rig = await pageRig();
    rig.state.neighbors = {
      lease: { holder: 'hooklet-1_uuid', transitions: 3, renewed: '2026-01-05T11:59:58.000Z' },
      pods: [0, 1].map((index) => ({
        name: `hooklet-${index}`,
        phase: 'Running',
        isReady: index === 1,
        restarts: 2,
        node: 'a',
      })),
      problems: ['<b> cannot be read'],
    };

    const { text } = await rig.get('/replicas');
    expect(text).toContain('hooklet-1_uuid, renewed <time datetime="2026-01-05T11:59:58.000Z"');
    expect(text).toContain('hooklet-0 <span class="b calm">this one</span>');
    expect(text).toContain('hooklet-1  <span class="b good">leading</span>');
    expect(text).toContain('&lt;b&gt; cannot be read');
  });

  it('filter runs by what the URL says', async () => {
    const rig = await pageRig();
    rig.fail(rig.start('web', 'aaaa-1'));
    rig.succeed(rig.start('db', 'bbbb-2'));
    rig.start('live', 'cccc-3');
    const shown = async (query: string) =>
      [...(await rig.get(`/runs${query}`)).text.matchAll(/run\?id=([\w-]+)"/g)].map(([, id]) => id);

    expect(await shown('')).toEqual(['cccc-3', 'bbbb-2', 'aaaa-1']);
    expect(await shown('?outcome=failed')).toEqual(['aaaa-1']);
    expect(await shown('?outcome=running')).toEqual(['cccc-3']);
    expect(await shown('?object=default/db')).toEqual(['bbbb-2']);
    expect(await shown('?error=it+failed')).toEqual(['aaaa-1']);
    expect(await shown('?error=other')).toEqual([]);
    expect(await shown('?hook=none.sh')).toEqual([]);
    expect(await shown(`?before=${Date.UTC(2026, 0, 5)}`)).toEqual([]);
  });

  it.each([
    ['/runs?outcome=fialed', 'outcome is &quot;fialed&quot;: give one of running, succeeded, later, failed'],
    ['/runs?outcome=fialed', 'did you mean failed?'],
    ['/runs?before=tomorrow', 'before is &quot;tomorrow&quot;: give a whole number from 1'],
    ['/runs?within=2h', 'within is &quot;2h&quot;: give one of 15m, 1h, 6h, 1d'],
    ['/runs?object=a/b/c/d', 'object is &quot;a/b/c/d&quot;: give NAMESPACE/NAME'],
    ['/runs?hok=a.sh', 'there is no parameter &quot;hok&quot;: leave it out; did you mean hook?'],
    ['/runs?hook=a&hook=b', 'hook is given 2 times: give it once'],
    [`/dead?hook=${'x'.repeat(601)}`, 'hook has 601 characters, at most 600 are read'],
    ['/curves?x', 'there is no parameter &quot;x&quot;: leave it out; there is note'],
    ['/runs?outcome=x&before=y', '/runs: before is &quot;y&quot;'],
  ])('answer %.30s, which they cannot read, with 400 and not as if it asked for less', async (path, message) => {
    const rig = await pageRig();

    const { status, text } = await rig.get(path);
    expect(status).toBe(400);
    expect(text).toContain(message);
    expect(text).toContain('<nav');
  });

  it('take a parameter without a value for none, as an empty field of a form is sent', async () => {
    const rig = await pageRig();
    rig.start('web', 'aaaa-1');

    expect((await rig.get('/runs?hook=&object=+&outcome=&error=&within=')).text).toContain('aaaa-1');
  });

  it('group failures by the last line of standard error, apart from its numbers', async () => {
    const rig = await pageRig();
    for (const [object, line] of [
      ['a', 'no answer after 3 s'],
      ['b', 'no answer after 17 s'],
      ['c', 'disk full'],
    ]) {
      const run = rig.start(object);
      rig.print(run, 'to stdout');
      rig.history.record({
        type: 'output',
        run,
        output: { type: 'line', line: { stream: 'stderr', line: line ?? '' } },
      });
      rig.fail(run);
    }

    const { text } = await rig.get('/failures');
    const rows = [...text.matchAll(/<code>([^<]*)<\/code><\/td><td[^>]*>(\d+)</g)].map(([, line, count]) => [
      line,
      count,
    ]);
    expect(rows).toEqual([
      ['no answer after 17 s', '2'],
      ['disk full', '1'],
    ]);
  });

  it('show everything that hooks did to one object', async () => {
    const rig = await pageRig();
    rig.succeed(rig.start('web', 'aaaa-1'));
    rig.fail(rig.start('web', 'bbbb-2'));
    rig.succeed(rig.start('db', 'cccc-3'));

    const { text } = await rig.get('/object?name=Pod/default/web');
    expect(text).toContain('aaaa-1');
    expect(text).toContain('bbbb-2');
    expect(text).not.toContain('cccc-3');
  });

  it.each([
    ['/objects', 'default/web'],
    ['/dead', 'web-1'],
    ['/schedules', 'nightly'],
    ['/watches', 'expired 1'],
    ['/hooks', 'kubernetes pods: Pod, all namespaces'],
    ['/hook?name=hook.sh', 'kubernetes pods: Pod, all namespaces'],
    ['/replicas', 'hooklet-0'],
    ['/pauses', 'queue main'],
    ['/curves', '<polyline points='],
  ])('of %s show %s', async (path, shown) => {
    const rig = await pageRig();
    rig.succeed(rig.start('web'));
    rig.state.letters = [letterOf('1')];
    rig.state.pauses = [{ target: { type: 'queue', queue: 'main' }, by: 'hand', sinceMs: 0, held: 1 }];
    rig.state.minutes = [1, 5, 2].map((runs, index) => ({
      atMs: index * 60_000,
      runs,
      failures: 0,
      waitMs: 9,
      queued: 0,
    }));

    const { status, text } = await rig.get(path);
    expect(status).toBe(200);
    expect(text).toContain(shown);
  });

  it.each(['/run?id=none', '/hook?name=none.sh', '/object', '/nothing', `/runs/${'x'.repeat(3000)}`])(
    'answer %.30s with 404, and a page',
    async (path) => {
      const rig = await pageRig();

      const { status, text } = await rig.get(path);
      expect(status).toBe(404);
      expect(text).toContain('<nav');
    },
  );

  it('let no name, label or message out of its place', async () => {
    const rig = await pageRig();
    rig.state.hooks = [
      {
        name: EVIL,
        type: 'process',
        state: 'broken',
        problem: EVIL,
        bindings: [EVIL],
        warnings: [EVIL],
        settings: [EVIL],
      },
    ];
    rig.state.letters = [letterOf(EVIL, { hook: EVIL, binding: EVIL, reason: EVIL, message: EVIL, runId: EVIL })];
    rig.state.watches = [{ hook: EVIL, binding: EVIL, what: EVIL, isSynced: false, problem: EVIL, restarts: [EVIL] }];
    rig.state.pauses = [
      { target: { type: 'object', kind: EVIL, namespace: EVIL, name: EVIL, hook: EVIL }, by: 'hand', held: 0 },
    ];
    rig.state.status = {
      role: 'standing-by',
      leader: EVIL,
      paused: [EVIL],
      hooks: { loaded: 1, starting: [EVIL], broken: [{ hook: EVIL, message: EVIL }] },
    };
    const evil = encodeURIComponent(EVIL);

    for (const path of [
      '/',
      '/hooks',
      `/hook?name=${evil}`,
      '/dead',
      '/watches',
      '/pauses',
      `/runs?hook=${evil}&object=${evil}`,
      `/confirm?do=pause&hook=${evil}`,
    ]) {
      const { text } = await rig.get(path);
      expect(text, path).not.toContain('<img src=x');
      expect(text, path).not.toContain('\u202E');
      expect(text.replaceAll(/"[^"]*"/g, ''), path).not.toMatch(/<[^>]+\sonerror/);
    }
  });
});

describe('the page of 10,000 runs', () => {
  it('is less than 30 KB with its styles and scripts, and looks at no more than 400 records', async () => {
    const history = new RunHistory({
      now: () => Date.UTC(2026, 0, 5),
      limits: { runs: 10_000, bytes: 64 * 1024 * 1024 },
    });
    const rig = await pageRig({ history });
    for (let index = 0; index < 10_000; index += 1) {
      const run = rig.start(`web-${index}`);
      history.record(
        endedWhole(
          run,
          { type: 'failed', by: 'hook', error: new Error(`attempt ${index} failed`) },
          { type: 'retry', at: 'head', delayMs: 5 },
        ),
      );
    }

    const parse = JSON.parse;
    let parsed = 0;
    JSON.parse = (...given) => {
      parsed += 1;
      return parse(...given);
    };
    try {
      for (const path of ['/', '/runs', '/runs?error=no+such+error', '/object?name=default/web-77', '/failures']) {
        parsed = 0;
        expect(await bytesOf(rig.url, path), path).toBeLessThan(30 * 1024);
        expect(parsed, path).toBeLessThanOrEqual(400);
      }
    } finally {
      JSON.parse = parse;
    }
  });
});

/** What a browser receives for a page: its HTML and what it loads, compressed. */
async function bytesOf(url: string, path: string): Promise<number> {
  const sizeOf = async (at: string) => {
    const response = await fetch(`${url}${at}`, { headers: { 'accept-encoding': 'gzip' } });
    const text = await response.text();
    return { size: Number(response.headers.get('content-length')), text };
  };
  const page = await sizeOf(path);
  const assets = new Set([...page.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, at = '']) => at));
  expect(assets.size).toBe(4);
  const sizes = await Promise.all([...assets].map(async (at) => (await sizeOf(at)).size));
  return sizes.reduce((sum, size) => sum + size, page.size);
}
