import { describe, expect, it } from 'vitest';
import { fakeAccess, letterOf, pageRig, type PageRigOptions } from '../../support/page-rig.ts';

const BEARER = (token: string) => ({ authorization: `Bearer ${token}` });

/** Failures of two kinds, each with two dead letters, and a letter whose run is forgotten. */
async function failingRig(options: PageRigOptions = {}) {
  const rig = await pageRig(options);
  for (const [id, line] of [
    ['aaaa-1', 'no answer after 3 s'],
    ['bbbb-2', 'no answer after 17 s'],
    ['cccc-3', 'disk full'],
    ['dddd-4', 'disk full'],
  ] as const) {
    const run = rig.start(`web-${id}`, id);
    rig.history.record({ type: 'output', run, output: { type: 'line', line: { stream: 'stderr', line } } });
    rig.fail(run);
  }
  rig.state.letters = [
    letterOf('1', { runId: 'dddd-4', message: 'exit code 1' }),
    letterOf('2', { runId: 'bbbb-2', message: 'exit code 1' }),
    letterOf('3', { runId: 'cccc-3', message: 'exit code 1' }),
    letterOf('4', { runId: 'gone', message: 'disk full' }),
    letterOf('5', { runId: 'aaaa-1', message: 'exit code 1', hook: 'other.sh' }),
  ];
  /** The path that asks whether to do this to the group with this line. */
  const linkOf = async (line: string, action: string, query = '', headers = {}): Promise<string> => {
    const { text } = await rig.get(`/failures${query}`, headers);
    const row = text.split('<tr').find((one) => one.includes(`<code>${line}`)) ?? '';
    return (new RegExp(`href="(/confirm\\?do=${action}[^"]+)"`).exec(row)?.[1] ?? '').replaceAll('&amp;', '&');
  };
  return { ...rig, linkOf };
}

describe('a group of failures', () => {
  it('is acted on as a whole, after a question that names what is touched', async () => {
    const rig = await failingRig();
    const asked = await rig.get(await rig.linkOf('disk full</code>', 'drop'));
    expect(asked.text).toContain('Drop 2 dead letters of a group of failures?');
    expect(asked.text.match(/<li>\d: hook.sh pods, Pod default\/web-\d, 3 attempts<\/li>/g)).toEqual([
      '<li>3: hook.sh pods, Pod default/web-3, 3 attempts</li>',
      '<li>1: hook.sh pods, Pod default/web-1, 3 attempts</li>',
    ]);
    expect(rig.done).toEqual([]);

    const { status, headers } = await rig.post('/act', rig.fieldsOf(asked.text));
    expect(status).toBe(303);
    expect(headers.get('location')).toMatch(/^\/failures\?note=/);
    expect(rig.done).toEqual(['drop {"ids":["1","3"]}']);
    expect(rig.actions).toEqual(['local developer: Drop 2 dead letters of a group of failures']);
    expect(rig.state.letters.map(({ id }) => id)).toEqual(['2', '4', '5']);
  });

  it('has the letters whose runs are forgotten apart, by what they say', async () => {
    const rig = await failingRig();
    const asked = await rig.get(await rig.linkOf('disk full (its run is not remembered)', 'retry'));
    await rig.post('/act', rig.fieldsOf(asked.text));

    expect(rig.done).toEqual(['retry {"ids":["4"]}']);
  });

  it('is shown with its letters, also of one hook alone', async () => {
    const rig = await failingRig();
    const link = await rig.linkOf('no answer', 'retry', '?hook=hook.sh');
    const { text } = await rig.get(link);
    expect(text).toContain('Retry 1 dead letter of a group of failures with hook hook.sh?');
    const listed = await rig.get(link.replace('/confirm?do=retry&', '/dead?'));
    expect(listed.text).toContain('<code>2</code>');
    expect(listed.text).not.toContain('<code>5</code>');
  });

  it('is asked for again when it has changed, and needs the secret of the form', async () => {
    const rig = await failingRig();
    const fields = rig.fieldsOf((await rig.get(await rig.linkOf('disk full</code>', 'retry'))).text);
    rig.state.letters = rig.state.letters.filter(({ id }) => id !== '1');

    const again = await rig.post('/act', fields);
    expect([again.status, again.text]).toEqual([
      409,
      expect.stringContaining('They are others than when you were asked'),
    ]);
    const asked = rig.fieldsOf(again.text);
    expect((await rig.post('/act', { ...asked, csrf: 'x' })).status).toBe(403);
    expect(rig.done).toEqual([]);
    expect((await rig.post('/act', asked)).status).toBe(303);
    expect(rig.done).toEqual(['retry {"ids":["3"]}']);
  });

  it('is acted on 500 letters at a time, those first that were given up first, of which 20 are named', async () => {
    const rig = await failingRig();
    rig.state.letters = Array.from({ length: 501 }, (_, index) => letterOf(`n${index}`, { runId: 'cccc-3' }));
    const asked = await rig.get(await rig.linkOf('disk full</code>', 'retry'));
    expect(asked.text).toContain('Retry the first 500 of 501 dead letters of a group of failures?');
    expect(asked.text.match(/<li>n\d+: /g)).toHaveLength(20);
    expect(asked.text).toContain('<li>n500: ');
    expect(asked.text).toContain('<li>and 480 more</li>');
    await rig.post('/act', rig.fieldsOf(asked.text));

    expect(rig.state.letters.map(({ id }) => id)).toEqual(['n0']);
  });

  it('is made of what its user may read, and acted on by those who may', async () => {
    const access = fakeAccess({
      reader: ['list runs', 'readpayload runs'],
      actor: ['list runs', 'retry runs'],
      blind: ['retry runs'],
    });
    const rig = await failingRig({ door: { type: 'tokens', access } });
    const key = /group=([\w-]{22})/.exec((await rig.get('/failures', BEARER('reader'))).text)?.[1] ?? '';
    expect(await rig.linkOf('disk full', 'retry', '', BEARER('reader'))).toBe('');
    expect((await rig.get(`/confirm?do=retry&group=${key}`, BEARER('reader'))).status).toBe(403);
    // Who may not read what was printed cannot ask whether something was.
    expect((await rig.get(`/confirm?do=retry&group=${key}`, BEARER('actor'))).status).toBe(404);

    const link = await rig.linkOf('it failed', 'retry', '', BEARER('actor'));
    expect((await rig.get(link, BEARER('actor'))).text).toContain('<li>3: hook.sh');
    const blind = await rig.get(link, BEARER('blind'));
    expect(blind.text).toContain('Retry 4 dead letters of a group');
    expect(blind.text).not.toContain('<li>3: hook.sh');
    expect((await rig.post('/act', { do: 'drop', group: key }, BEARER('actor'))).status).toBe(403);
    expect(rig.done).toEqual([]);
  });
});
