import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { KubeError } from '../../../src/errors.ts';
import { Gate } from '../../../src/server/page/gate.ts';
import { Sessions } from '../../../src/server/page/sessions.ts';
import { fakeAccess, letterOf, pageRig } from '../../support/page-rig.ts';

const VIEWER = ['list runs', 'get runs', 'list hooks', 'get hooks', 'list queues'];

function secured(users: Readonly<Record<string, readonly string[]>> = { viewer: VIEWER, boss: ['*'] }) {
  const access = fakeAccess(users);
  return { access, door: { type: 'tokens', access } as const };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('who may use the page', () => {
  it('nobody without a token: 401 and a form, and of the views nothing', async () => {
    const rig = await pageRig(secured());
    rig.start('web', 'aaaa-1');
    for (const path of ['/', '/runs', '/run?id=aaaa-1', '/confirm?do=pause&queue=main', '/nothing']) {
      const { status, text, headers } = await rig.get(path);
      expect(status, path).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(text).toContain('name="token"');
      expect(text).not.toContain('default/web');
    }
    expect((await rig.get('/events?at=/')).status).toBe(401);
    expect((await rig.get('/', bearer('stranger'))).status).toBe(401);
  });

  it('a token that is known sees what its user may list, and is told what else it needs', async () => {
    const rig = await pageRig(secured({ viewer: ['list runs'] }));

    expect((await rig.get('/runs', bearer('viewer'))).status).toBe(200);
    const refused = await rig.get('/hooks', bearer('viewer'));
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('list hooks.hooks.hooklet.dev');
  });

  it('only who has readpayload sees what a hook printed, changed and said', async () => {
    const rig = await pageRig(secured());
    const run = rig.start('web', 'aaaa-1');
    rig.print(run, 'a secret line');
    rig.fail(run);
    rig.state.letters = [letterOf('1', { message: 'a secret message' })];

    for (const path of ['/run?id=aaaa-1', '/failures', '/dead']) {
      const { text } = await rig.get(path, bearer('viewer'));
      expect(text, path).not.toContain('a secret');
      expect(text).toContain('readpayload');
    }
    expect((await rig.get('/run?id=aaaa-1', bearer('boss'))).text).toContain('a secret line');
    expect((await rig.get('/dead', bearer('boss'))).text).toContain('a secret message');
  });

  it('only who has readpayload sees recorded contexts; all see how a run is exported and replayed', async () => {
    const bytes = gzipSync(JSON.stringify({ contexts: [{ binding: 'pods', review: '<b>' }] }));
    const recordings = { state: () => ({ type: 'kept', bytes: bytes.length }) as const, read: async () => bytes };
    const rig = await pageRig({ ...secured(), recordings });
    rig.succeed(rig.start('web', 'aaaa-1'));
    const shown = async (user: string) => (await rig.get('/run?id=aaaa-1', bearer(user))).text;

    expect(await shown('viewer')).toContain('hooklet runs export aaaa-1 -o run.json');
    expect(await shown('viewer')).toContain('hooklet replay run.json');
    expect(await shown('viewer')).not.toContain('&quot;review&quot;');
    expect(await shown('boss')).toContain('&quot;review&quot;: &quot;&lt;b&gt;&quot;\n');
  });

  it.each([
    ['unreadable', Buffer.from('no gzip')],
    ['too large', gzipSync(JSON.stringify({ contexts: ['x'.repeat(2 ** 20)] }))],
  ])('says of a recording that is %s that it is not shown', async (_, bytes) => {
    const recordings = { state: () => ({ type: 'kept', bytes: bytes.length }) as const, read: async () => bytes };
    const rig = await pageRig({ recordings });
    rig.succeed(rig.start('web', 'aaaa-1'));

    expect((await rig.get('/run?id=aaaa-1')).text).toContain('too large for the page, or cannot be read');
  });

  it('shows no button for what the user may not do', async () => {
    const rig = await pageRig(secured());

    expect((await rig.get('/schedules', bearer('viewer'))).text).not.toContain('Run now');
    expect((await rig.get('/schedules', bearer('boss'))).text).toContain('Run now');
  });

  it.each(['do=drop&hook=web&reason=permanent', 'do=trigger&hook=web&binding=nightly', 'do=pause&hook=web'])(
    'who may not act learns nothing of what is there: %s',
    async (action) => {
      const rig = await pageRig(secured());
      const absent = await rig.get(`/confirm?${action}`, bearer('viewer'));
      rig.state.letters = [letterOf('1', { hook: 'web' })];
      const present = await rig.get(`/confirm?${action}`, bearer('viewer'));

      expect([absent.status, present.status]).toEqual([403, 403]);
      expect(absent.text).toBe(present.text);
    },
  );

  it('a browser logs in with a token, keeps a cookie that scripts and other sites do not get, and logs out', async () => {
    const rig = await pageRig(secured());
    const refused = await rig.post('/login', { token: 'stranger', next: '/' });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('set-cookie')).toBeNull();

    const login = await rig.post('/login', { token: ' boss\n', next: '/dead?hook=a' });
    expect(login.status).toBe(303);
    expect(login.headers.get('location')).toBe('/dead?hook=a');
    const set = login.headers.get('set-cookie') ?? '';
    expect(set).toMatch(/^hooklet-[0-9a-f]{8}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    const cookie = set.slice(0, set.indexOf(';'));
    const page = await rig.get('/', { cookie });
    expect(page.status).toBe(200);
    expect(page.text).not.toContain(cookie.split('=')[1]);

    const { csrf = '' } = rig.fieldsOf(page.text);
    expect((await rig.post('/logout', { csrf: 'x' }, { cookie })).status).toBe(403);
    expect((await rig.post('/logout', { csrf }, { cookie })).status).toBe(303);
    expect((await rig.get('/', { cookie })).status).toBe(401);
  });

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '/nothing', ''])(
    'a login never leads to %j',
    async (next) => {
      const rig = await pageRig(secured());
      expect((await rig.post('/login', { token: 'boss', next })).headers.get('location')).toBe('/');
    },
  );

  it('answers no other host, and one that was given', async () => {
    const rig = await pageRig({ hosts: ['hooks.example.com'] });
    const gate = new URL(rig.url);
    const { request } = await import('node:http');
    const statusOf = async (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request({ host: gate.hostname, port: gate.port, path: '/', headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });

    expect(await statusOf('evil.example:80')).toBe(421);
    expect(await statusOf('hooks.example.com')).toBe(200);
  });

  it('says 500 where the API server cannot be asked, and tells strangers nothing of why', async () => {
    const fail = async (): Promise<never> => {
      throw new KubeError('POST /apis/x: tokenreviews is forbidden', { status: 403, reason: 'Forbidden' });
    };
    const access = { userOf: fail, may: async () => true };
    const rig = await pageRig({ door: { type: 'tokens', access } });

    const { status, text } = await rig.get('/', bearer('boss'));
    expect(status).toBe(500);
    expect(text).not.toContain('tokenreviews');
  });

  it('asks the API server no more while it is full of unknown tokens', async () => {
    const rig = await pageRig({
      door: {
        type: 'tokens',
        access: { userOf: async () => ({ type: 'busy', retryAfterS: 7 }), may: async () => true },
      },
    });
    const { status, headers } = await rig.get('/', bearer('x'));
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('7');
  });
});

describe('the answers of the page', () => {
  it('forbid scripts and styles in the HTML, frames, guessing of types and keeping', async () => {
    const rig = await pageRig();
    const { headers, text } = await rig.get('/');

    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
  });

  it('are 405 for other methods, and 413 for a form of more than 16 KiB', async () => {
    const rig = await pageRig();

    expect((await fetch(`${rig.url}/runs`, { method: 'DELETE' })).status).toBe(405);
    expect((await rig.post('/act', { do: 'x'.repeat(17 * 1024) })).status).toBe(413);
    expect((await rig.post('/login', { token: 'x' })).status).toBe(405);
  });
});

describe('the sessions of the page', () => {
  it('end after 8 h, and after 1 h without a request', () => {
    let nowMs = 0;
    const sessions = new Sessions(() => nowMs);
    const cookie = `${sessions.cookie}=${sessions.begin('token', 'ann')}`;
    for (let hours = 0; hours < 8; hours += 0.5) {
      nowMs = hours * 3_600_000;
      expect(sessions.of(cookie)?.token).toBe('token');
    }
    nowMs = 8 * 3_600_000;
    expect(sessions.of(cookie)).toBeUndefined();

    const idle = `${sessions.cookie}=${sessions.begin('token', 'ann')}`;
    nowMs += 3_600_000;
    expect(sessions.of(idle)).toBeUndefined();
  });

  it('are at most 100, also after 10,000 logins: the newest', () => {
    const sessions = new Sessions(() => 0);
    const cookies = Array.from(
      { length: 10_000 },
      (_, index) => `${sessions.cookie}=${sessions.begin(`token ${index}`, `user ${index}`)}`,
    );

    expect(cookies.filter((cookie) => sessions.of(cookie) !== undefined)).toEqual(cookies.slice(-100));
  });

  it('of one user who logs in 10,000 times put nobody else out', () => {
    const sessions = new Sessions(() => 0);
    const cookie = `${sessions.cookie}=${sessions.begin('token of bob', 'bob')}`;
    const last = Array.from({ length: 10_000 }, () => sessions.begin('token of eve', 'eve')).at(-1) ?? '';

    expect(sessions.of(cookie)?.token).toBe('token of bob');
    expect(sessions.of(`${sessions.cookie}=${last}`)?.token).toBe('token of eve');
  });

  it('are known by the secret alone, among other cookies', () => {
    const sessions = new Sessions(() => 0);
    const secret = sessions.begin('token', 'ann');

    expect(sessions.of(`a=b; ${sessions.cookie}=${secret}; c=d`)?.token).toBe('token');
    expect(sessions.of(`${sessions.cookie}=${secret}x`)).toBeUndefined();
    expect(sessions.of(`other=${secret}`)).toBeUndefined();
    expect(sessions.of(undefined)).toBeUndefined();
  });

  it('have a cookie for TLS alone where a proxy ends it', async () => {
    const { door } = secured();
    const gate = new Gate(door, () => 0);
    const head = { method: 'POST', path: '/login', query: new URLSearchParams(), host: 'x', source: '' };

    const login = await gate.login('boss', { ...head, headers: { 'x-forwarded-proto': 'https' } });
    expect(login).toMatchObject({ cookie: expect.stringContaining('; Secure') });
  });
});
