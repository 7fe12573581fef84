import { describe, expect, it } from 'vitest';
import { fakeAccess, letterOf, pageRig } from '../../support/page-rig.ts';

describe('an action on the page', () => {
  it('is done after a confirmation that says to how many, and is reported with who did it', async () => {
    const rig = await pageRig();
    rig.state.letters = [letterOf('1'), letterOf('2'), letterOf('3', { hook: 'other.sh' })];
    const asked = await rig.get('/confirm?do=retry&hook=hook.sh');
    expect(asked.text).toContain('Retry 2 dead letters with hook hook.sh?');
    expect(rig.done).toEqual([]);

    const { status, headers } = await rig.post('/act', rig.fieldsOf(asked.text));
    expect(status).toBe(303);
    expect(rig.done).toEqual(['retry {"hook":"hook.sh"}']);
    expect(rig.actions).toEqual(['local developer: Retry 2 dead letters with hook hook.sh']);
    const after = await rig.get(headers.get('location') ?? '');
    expect(after.text).toContain('Retried 2.');
    expect(rig.state.letters).toHaveLength(1);
  });

  it.each([
    ['there are more', [letterOf('1'), letterOf('2')]],
    ['another one is there', [letterOf('2')]],
  ])('is asked again when %s by then', async (_, letters) => {
    const rig = await pageRig();
    rig.state.letters = [letterOf('1')];
    const fields = rig.fieldsOf((await rig.get('/confirm?do=drop')).text);
    rig.state.letters = letters;

    const { status, text } = await rig.post('/act', fields);
    expect(status).toBe(409);
    expect(text).toContain('They are others than when you were asked. Nothing was done yet.');
    expect(rig.done).toEqual([]);
    expect((await rig.post('/act', rig.fieldsOf(text))).status).toBe(303);
    expect(rig.done).toEqual(['drop {}']);
  });

  it('is not done to everything because what limits it is longer than 600 characters', async () => {
    const rig = await pageRig();
    rig.state.letters = [letterOf('1')];
    const long = 'a'.repeat(601);

    expect((await rig.get(`/confirm?do=drop&hook=${long}`)).status).toBe(400);
    const fields = rig.fieldsOf((await rig.get('/confirm?do=drop')).text);
    expect((await rig.post('/act', { ...fields, hook: long })).status).toBe(400);
    expect((await rig.get(`/confirm?do=pause&hook=hook.sh&name=${long}`)).text).toContain('name has 601 characters');
    expect(rig.done).toEqual([]);
  });

  it('is not done to everything because what limits it is misspelled or given twice', async () => {
    const rig = await pageRig();
    rig.state.letters = [letterOf('1')];
    const fields = rig.fieldsOf((await rig.get('/confirm?do=drop')).text);

    const asked = await rig.get('/confirm?do=drop&hok=other.sh&reason=a&reason=b');
    expect(asked.status).toBe(400);
    expect(asked.text).toContain('there is no parameter &quot;hok&quot;: leave it out; did you mean hook?');
    expect(asked.text).toContain('reason is given 2 times');
    expect((await rig.post('/act', { ...fields, hok: 'other.sh' })).status).toBe(400);
    expect(rig.done).toEqual([]);
  });

  it.each([
    ['another site', { origin: 'https://evil.example' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', { origin: 'null' }],
    ['a link of another site', { 'sec-fetch-site': 'cross-site' }],
  ])('of a form that comes from %s is refused', async (_, headers) => {
    const rig = await pageRig();
    const fields = rig.fieldsOf((await rig.get('/confirm?do=pause&queue=main')).text);

    const { status } = await rig.post('/act', fields, headers);
    expect(status).toBe(403);
    expect(rig.done).toEqual([]);
  });

  it('of a form without its secret is refused', async () => {
    const rig = await pageRig();
    const { csrf: _, ...fields } = rig.fieldsOf((await rig.get('/confirm?do=pause&queue=main')).text);

    expect((await rig.post('/act', fields)).status).toBe(403);
    expect((await rig.post('/act', { ...fields, csrf: 'wrong' })).status).toBe(403);
    expect(rig.done).toEqual([]);
  });

  it('needs a right of its own, also when it is confirmed', async () => {
    const access = fakeAccess({ some: ['list queues', 'pause hooks a.sh'] });
    const rig = await pageRig({ door: { type: 'tokens', access } });
    const headers = { authorization: 'Bearer some' };

    const refused = await rig.post('/act', { do: 'pause', hook: 'b.sh' }, headers);
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('pause hooks.hooks.hooklet.dev &quot;b.sh&quot;');
    expect((await rig.get('/confirm?do=pause&queue=main', headers)).status).toBe(403);
    expect((await rig.post('/act', { do: 'pause', hook: 'a.sh' }, headers)).status).toBe(303);
    expect(rig.done).toEqual(['pause {"type":"hook","hook":"a.sh"}']);
    expect(rig.actions).toEqual(['some: Pause hook a.sh']);
  });

  it.each([
    ['do=pause&queue=main', 'Pause queue main', 'pause {"type":"queue","queue":"main"}'],
    [
      'do=pause&name=web&namespace=default&kind=Pod&hook=a.sh',
      'Pause Pod default/web for a.sh',
      'pause {"type":"object","namespace":"default","name":"web","kind":"Pod","hook":"a.sh"}',
    ],
    ['do=resume&hook=a.sh', 'Resume hook a.sh', 'resume {"type":"hook","hook":"a.sh"}'],
  ])('%s is: %s', async (query, words, done) => {
    const rig = await pageRig();
    const asked = await rig.get(`/confirm?${query}`);
    expect(asked.text).toContain(`${words}?`);

    expect((await rig.post('/act', rig.fieldsOf(asked.text))).headers.get('location')).toMatch(/^\/pauses\?note=/);
    expect(rig.done).toEqual([done]);
  });

  it('runs, suspends and resumes a schedule', async () => {
    const rig = await pageRig();
    for (const action of ['trigger', 'suspend', 'unsuspend']) {
      const asked = await rig.get(`/confirm?do=${action}&hook=db/backup.sh&binding=nightly`);
      expect((await rig.post('/act', rig.fieldsOf(asked.text))).status).toBe(303);
    }
    expect(rig.schedules.asked).toEqual([
      'trigger db/backup.sh nightly',
      'suspend db/backup.sh nightly',
      'resume db/backup.sh nightly',
    ]);
  });

  it.each([
    ['/confirm', 404],
    ['/confirm?do=format-disk', 400],
    ['/confirm?do=retry&id=none', 404],
    ['/confirm?do=trigger&hook=a&binding=b', 404],
    ['/confirm?do=pause&hook=a.sh&queue=main', 404],
    [`/confirm?do=pause&hook=${'x'.repeat(700)}`, 400],
  ])('that %.40s does not describe is %i', async (path, status) => {
    const rig = await pageRig();
    expect((await rig.get(path)).status).toBe(status);
  });

  it('of a replica that stands by is refused, with whom to ask', async () => {
    const rig = await pageRig();
    const fields = rig.fieldsOf((await rig.get('/confirm?do=pause&queue=main')).text);
    rig.state.refusal = 'this replica stands by, pod-1 leads';

    const { status, text } = await rig.post('/act', fields);
    expect(status).toBe(409);
    expect(text).toContain('pod-1 leads');
    expect((await rig.get('/schedules')).text).not.toContain('Run now');
    expect(rig.done).toEqual([]);
  });

  it('that the operator refuses is told as a page', async () => {
    const rig = await pageRig();
    const fields = rig.fieldsOf((await rig.get('/confirm?do=pause&hook=none.sh')).text);

    const { status, text } = await rig.post('/act', fields);
    expect(status).toBe(404);
    expect(text).toContain('no hook &quot;none.sh&quot;');
  });

  it('leaves a note that nobody else can write', async () => {
    const rig = await pageRig();
    expect((await rig.get('/pauses?note=All+is+lost')).text).not.toContain('All is lost');
  });
});
