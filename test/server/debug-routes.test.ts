import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { answerDebug, isDebugPath } from '../../src/server/debug-routes.ts';
import { fakeDebugView } from '../support/fake-debug-view.ts';

function ask(url: string, { method = 'GET', body = '' } = {}, view = fakeDebugView()) {
  const [path = '', query = ''] = url.split('?', 2);
  const head = { method, path, query: new URLSearchParams(query), host: undefined, headers: {}, source: '' };
  const answer = answerDebug({ ...head, body: Buffer.from(body), signal: new AbortController().signal }, view);
  return { ...answer, body: answer.body.toString() };
}

const MAIN = { index: 1, description: 'HookRun:main:onStartup:a.sh' };
const SUMMARY = { mainQueueTasks: 1, otherQueues: { active: 0, empty: 1, tasks: 0 }, totalTasks: 1 };
const ACTIVE = [{ name: 'main', tasksCount: 1, status: 'run first task', tasks: [MAIN] }];
const SNAPSHOTS = {
  pods: {
    operations: {
      sinceLastExecution: { count: 0, added: 0, deleted: 0, modified: 0, cleaned: 0 },
      sinceStart: { count: 1, added: 0, deleted: 0, modified: 0, cleaned: 0 },
    },
    snapshot: [{ object: { kind: 'Pod', data: { x: '<y>' } } }],
  },
};

describe('the debug API', () => {
  it.each([
    ['/', 'debug endpoint is alive'],
    ['/queue/main.text', "Queue 'main': length 1, status: 'run first task'\n\n 1. HookRun:main:onStartup:a.sh\n"],
    ['/hook/list.text', '["a.sh","db/a b.sh"]\n'],
    ['/hook/a.sh/snapshots', 'null\n'],
    ['/hook/a.sh/snapshots.text', 'null\n'],
  ])('GET %s is text', (url, body) => {
    expect(ask(url)).toMatchObject({ status: 200, type: 'text/plain; charset=utf-8', body });
  });

  it.each([
    ['/queue/main.json', ACTIVE[0]],
    ['/queue/list.json', { active: ACTIVE, summary: SUMMARY }],
    ['/queue/list.json?showEmpty=true', { active: ACTIVE, empty: [{ name: 'q', tasksCount: 0 }], summary: SUMMARY }],
    ['/queue/list.json?showEmpty=1', { active: ACTIVE, empty: [{ name: 'q', tasksCount: 0 }], summary: SUMMARY }],
    ['/queue/list.json?showEmpty=yes', { active: ACTIVE, summary: SUMMARY }],
    ['/hook/list.json', ['a.sh', 'db/a b.sh']],
    ['/hook/a.sh/snapshots.json', null],
    ['/hook/db/a%20b.sh/snapshots.json', SNAPSHOTS],
    ['/config/list.json', [{ default: 'info', description: 'Level', name: 'log.level', value: 'info' }]],
  ])('GET %s is JSON', (url, value) => {
    const { body, ...answer } = ask(url);

    expect(answer).toMatchObject({ status: 200, type: 'application/json' });
    expect(JSON.parse(body)).toEqual(value);
    expect(body).toMatch(/\n$/);
  });

  it.each([
    ['/queue/main.yaml', ACTIVE[0]],
    ['/queue/list.yaml?showEmpty=true', { active: ACTIVE, empty: [{ name: 'q', tasksCount: 0 }], summary: SUMMARY }],
    ['/hook/list.yaml', ['a.sh', 'db/a b.sh']],
    ['/hook/a.sh/snapshots.yaml', null],
    ['/hook/db/a%20b.sh/snapshots.yaml', SNAPSHOTS],
    ['/config/list.yaml', [{ default: 'info', description: 'Level', name: 'log.level', value: 'info' }]],
  ])('GET %s is YAML of the same', (url, value) => {
    const { body, ...answer } = ask(url);

    expect(answer).toMatchObject({ status: 200, type: 'application/yaml' });
    expect(parse(body)).toEqual(value);
  });

  it.each(['/nope', '/queue/list.xml', '/queue/list', '/queue/other.json', '/hook/x', '/hook/x/y.json', '/config/'])(
    'GET %s has nothing',
    (url) => {
      expect(ask(url)).toMatchObject({ status: 404, body: '404 page not found\n' });
    },
  );

  it.each([
    ['/hook/nope/snapshots.json', "hook 'nope' is not exist\n"],
    ['/hook//snapshots.json', "'hook' parameter is required\n"],
    ['/hook/%zz/snapshots.json', "hook '%zz' is not exist\n"],
  ])('GET %s is refused', (url, body) => {
    expect(ask(url)).toMatchObject({ status: 400, body });
  });

  it.each([
    ['name=log.level&value=debug', 'debug undefined'],
    ['name=log.level&value=error&duration=1m30s', 'error 90000'],
    ['name=log.level&value=warn&duration=0', 'warn undefined'],
  ])('POST /config/set %s sets a parameter', (body, set) => {
    const view = fakeDebugView();

    expect(ask('/config/set', { method: 'POST', body }, view)).toMatchObject({ status: 200, body: '' });
    expect(view.set).toEqual([set]);
  });

  it.each([
    ['', "'name' parameter is required\n"],
    ['value=debug', "'name' parameter is required\n"],
    ['name=nope&value=x', 'unknown runtime parameter "nope"\n'],
    [
      'name=log.level&value=debug&duration=5x',
      'parse duration "5x" failed: expected a duration such as 30s or 1h30m\n',
    ],
  ])('POST /config/set %j is refused', (body, message) => {
    const view = fakeDebugView();

    expect(ask('/config/set', { method: 'POST', body }, view)).toMatchObject({ status: 400, body: message });
    expect(view.set).toEqual([]);
  });

  it.each([
    ['GET', '/config/set', 'POST'],
    ['POST', '/queue/list.json', 'GET'],
    ['DELETE', '/', 'GET'],
  ])('%s %s is not a method for it', (method, url, allow) => {
    expect(ask(url, { method })).toMatchObject({ status: 405, headers: { allow } });
  });

  it('leaves the paths of hooklet alone', () => {
    expect(['/queues', '/runs', '/status', '/schedules', '/hooks'].filter(isDebugPath)).toEqual([]);
  });
});
