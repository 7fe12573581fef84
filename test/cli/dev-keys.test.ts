import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Answer, JsonObject } from '@hooklet/sandbox';
import type { KeyDoor } from '../../src/cli/dev-keys/choices.ts';
import { DevKeys } from '../../src/cli/dev-keys/dev-keys.ts';
import type { Hook } from '../../src/hook/binding.ts';
import { parseConfig } from '../../src/hook/config.ts';
import { newTask, type Task } from '../../src/hook/task.ts';
import type { QueuedTrigger, SnapshotItem } from '../../src/hook/trigger.ts';
import { latch } from '../../src/lib/latch.ts';
import { nextTurn } from '../../src/lib/turn.ts';
import { githubProblem, signatureProblem, slackProblem } from '../../src/sources/http/signature.ts';
import { checkFilter } from '../../src/units/filter-check.ts';
import { builtMain } from '../support/built-program.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

function hookOf(config: object, name = 'a.sh'): Hook {
  const read = parseConfig(JSON.stringify({ configVersion: 'v1', ...config }), checkFilter);
  return { name, path: name, type: 'process', bindings: read.type === 'valid' ? read.bindings : [], settings: {} };
}

const word = (value: unknown): string => (typeof value === 'string' ? value : '');

interface Posted {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

interface State {
  last?: Task;
  hooks: readonly Hook[];
  objects: readonly string[];
  listing?: Promise<void>;
  /** What the sandbox has, and answers. */
  there: readonly JsonObject[];
  answer: Answer;
  posted?: Posted;
}

/** Keys of an operator with one hook, which sees the Pods `web` and `db`. */
function keysFor(config: object, there: readonly JsonObject[] = []) {
  const hook = hookOf(config);
  const sent: string[] = [];
  const state: State = {
    hooks: [hook],
    objects: ['db', 'web'],
    there,
    answer: { code: 200, body: {} },
  };
  const item = (name: string): SnapshotItem => ({ namespace: 'default', name });
  const door: KeyDoor = {
    hooks: () =>
      state.hooks.map((one) => ({ hook: one, objects: () => state.objects.map(item), listing: () => state.listing })),
    schedules: {
      list: () => [],
      trigger: async (name, binding) => {
        sent.push(`${name} ${binding} by hand`);
        return 'id';
      },
    },
    push: ({ name }, trigger) => sent.push(`${name} ${said(trigger)}`),
    last: () => state.last,
    asked: {
      sandbox: {
        state: { revision: 1, objects: state.there.map((object) => ({ collection: '', object })) },
        token: 'mine',
        pathOf: ({ apiVersion, kind, metadata }) => {
          if (apiVersion === 'v0') throw new Error('not served');
          return `/${word(apiVersion)}/${word(kind).toLowerCase()}s/${word(Object(metadata).name)}`;
        },
        call: async (method, path, body) => {
          sent.push(`${method} ${path} ${JSON.stringify(body) ?? ''}`.trim());
          return state.answer;
        },
      },
      post: async (path, headers, body) => {
        state.posted = { path, headers, body: Buffer.from(body) };
        return { code: 202, text: '{"runId":"1"}\n' };
      },
      readFile: async () => Buffer.from('key'),
      nowMs: () => 1_000_500,
    },
  };
  let written = '';
  let quits = 0;
  const keys = new DevKeys({ door: () => door, write: (text) => (written += text), quit: () => (quits += 1) });
  return {
    hook,
    sent,
    state,
    door,
    type: (text: string) => {
      for (const key of text) keys.press(key);
    },
    written: () => written,
    end: () => keys.end(),
    quits: () => quits,
  };
}

function said(trigger: QueuedTrigger): string {
  if (trigger.type === 'event') return `${trigger.watchEvent} ${trigger.item.name}`;
  return trigger.type === 'reconcile' ? `${trigger.namespace}/${trigger.name} ${trigger.reason}` : trigger.type;
}

const NOTHING: Posted = { path: '', headers: {}, body: Buffer.alloc(0) };
const PODS = { kubernetes: [{ name: 'pods', kind: 'Pod', executeHookOnEvent: ['Modified'] }] };

afterEach(() => void vi.useRealTimers());

describe('the keys of hooklet dev', () => {
  it('send an event of an object that is chosen', () => {
    const keys = keysFor({ onStartup: 1, ...PODS });
    keys.type('e3\r2\r');

    expect(keys.sent).toEqual(['a.sh Modified web']);
    expect(keys.written()).toContain(
      '  1  a.sh onStartup\n  2  a.sh pods: Synchronization\n  3  a.sh pods: Modified of a Pod\n',
    );
    expect(keys.written()).toContain('  1  default/db\n  2  default/web\n');
    expect(keys.written()).toMatch(/sent: a\.sh pods Modified default\/web\n$/);
  });

  it('have an object of a reconcile binding named', () => {
    const keys = keysFor({ reconcile: [{ kind: 'Page', apiVersion: 'example.com/v1' }] });
    keys.type('e1\rdefault/wellcome\u007F\u007F\u007F\u007F\u007Fcome\r');

    expect(keys.sent).toEqual(['a.sh default/welcome manual']);
  });

  it('send nothing that was not chosen', () => {
    const keys = keysFor(PODS);
    keys.type('e\u001Be9\rex\re\r');

    expect(keys.sent).toEqual([]);
    expect(keys.written().match(/nothing sent/g)).toHaveLength(4);
  });

  it('wait for the first list of the binding, and take then what was typed meanwhile', async () => {
    const keys = keysFor(PODS);
    const list = latch();
    Object.assign(keys.state, { listing: list.promise, objects: [] });
    keys.type('e2\r2\r');

    expect(keys.sent).toEqual([]);
    expect(keys.written()).toMatch(/Pod is being listed\n$/);
    Object.assign(keys.state, { listing: undefined, objects: ['db', 'web'] });
    list.resolve();
    await nextTurn();
    expect(keys.sent).toEqual(['a.sh Modified web']);
  });

  it('say after 5 s that the objects have not been listed yet, and then take keys again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const keys = keysFor(PODS);
    Object.assign(keys.state, { listing: latch().promise });
    keys.type('e2\r');

    await vi.advanceTimersByTimeAsync(4999);
    expect(keys.written()).not.toContain('sent');
    await vi.advanceTimersByTimeAsync(1);
    expect(keys.written()).toMatch(/sent: nothing: Pod has not been listed yet\n$/);
    keys.type('e1\r');
    expect(keys.sent).toEqual(['a.sh synchronization']);
  });

  it('wait no longer when Escape is pressed, or the program ends', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const keys = keysFor(PODS);
    const list = latch();
    Object.assign(keys.state, { listing: list.promise });
    keys.type('e2\r\u001Be2\r');
    keys.end();
    list.resolve();
    await nextTurn();

    expect(vi.getTimerCount()).toBe(0);
    expect(keys.sent).toEqual([]);
    expect(keys.written().match(/which Pod/g)).toBeNull();
  });

  const config = { metadata: { name: 'a', namespace: 'default', uid: 'u', labels: { x: 'y' } }, data: { k: 'v' } };
  const there: readonly JsonObject[] = [
    { apiVersion: 'v0', kind: 'Gone', metadata: { name: 'gone' } },
    { apiVersion: 'v1', kind: 'ConfigMap', ...config },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'b' } },
    { apiVersion: 'example.com/v1', kind: 'Page', metadata: { name: 'c', namespace: 'default' }, status: { is: 1 } },
  ];
  const copy = { generateName: 'a-', namespace: 'default', labels: { x: 'y' } };
  const copied = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', data: { k: 'v' }, metadata: copy });
  const rule = (operations: readonly string[], resources: readonly string[], apiGroups = ['']) => ({
    rules: [{ apiGroups, apiVersions: ['*'], operations, resources }],
  });

  it.each([
    [rule(['CREATE', 'UPDATE'], ['configmaps']), 'e1\r1\r', [`POST /v1/configmaps?dryRun=All ${copied}`]],
    [rule(['UPDATE'], ['configmaps']), 'e1\r1\r', [`PUT /v1/configmaps/a?dryRun=All ${JSON.stringify(there[1])}`]],
    [rule(['DELETE'], ['configmaps', 'secrets']), 'e1\r2\r', ['DELETE /v1/secrets/b?dryRun=All']],
    [rule(['*'], ['*'], ['example.com']), 'e3\r1\r', ['DELETE /example.com/v1/pages/c?dryRun=All']],
    [rule(['UPDATE'], ['pods']), 'e1\r', []],
    [rule(['UPDATE'], ['configmaps/status']), 'e1\r', []],
  ])('have the sandbox ask admission webhooks, by dry run: %j %j', async (webhook, typed, sent) => {
    const keys = keysFor({ kubernetesValidating: [{ name: 'a.example.com', ...webhook }] }, there);
    keys.type(typed);
    await nextTurn();

    expect(keys.sent).toEqual(sent);
    expect(keys.written()).toMatch(sent.length > 0 ? /answered: 200: allowed/ : /sent: nothing: the sandbox has none/);
  });

  it('print why a webhook refuses', async () => {
    const keys = keysFor({ kubernetesMutating: [{ name: 'a.example.com', ...rule(['UPDATE'], ['secrets']) }] }, there);
    keys.state.answer = { code: 403, body: { message: 'denied: no \u001B[31m' } };
    keys.type('e1\r1\r');
    await nextTurn();

    expect(keys.written()).toMatch(/asked\nanswered: 403: denied: no \\u001b\[31m\n$/);
  });

  it('read an object in each version to which a hook converts', async () => {
    const conversions = [
      { fromVersion: 'v1', toVersion: 'v2' },
      { fromVersion: 'v2', toVersion: 'example.com/v3' },
    ];
    const binding = { name: 'c', crdName: 'pages.example.com', conversions };
    const keys = keysFor({ kubernetesCustomResourceConversion: [binding] }, there);
    keys.state.answer = { code: 200, body: { apiVersion: 'example.com/v3' } };
    keys.type('e2\r1\r');
    await nextTurn();

    expect(keys.sent).toEqual(['GET /example.com/v3/pages/c']);
    expect(keys.written()).toContain('  1  a.sh c: read one of pages as v2\n  2  a.sh c: read one of pages as v3\n');
    expect(keys.written()).toMatch(/answered: 200: {"apiVersion":"example\.com\/v3"}\n$/);
  });

  it('send a request of an http binding with what shows who the caller is', async () => {
    const signing = (type: string) => ({ type, secretFile: '/secret' });
    const http = [
      { name: 'open' },
      { name: 'hub', authentication: signing('github') },
      { name: 'chat', authentication: signing('slack') },
    ];
    const posted: (Posted | undefined)[] = [];
    for (const typed of ['e1\r\r', 'e2\r{"a": 1}\r', 'e3\rtext=1\r']) {
      const keys = keysFor({ http });
      keys.type(typed);
      for (let turn = 0; turn < 3; turn += 1) await nextTurn();
      posted.push(keys.state.posted);
      expect(keys.written()).toMatch(/answered: 202: {"runId":"1"}\n$/);
    }

    expect(posted.map((one) => one?.path)).toEqual(['open', 'hub', 'chat'].map((name) => `/trigger/a.sh/${name}`));
    expect(posted[0]?.headers['authorization']).toBe('Bearer mine');
    const [, hub = NOTHING, chat = NOTHING] = posted;
    expect([String(hub.body), githubProblem(hub, Buffer.from('key'))]).toEqual(['{"a": 1}', undefined]);
    expect([String(chat.body), slackProblem(chat, Buffer.from('key'))]).toEqual(['text=1', undefined]);
    expect(signatureProblem('slack', chat, 1_000_500)).toBeUndefined();
  });

  it('run again what ran last, with the hook as it is now', () => {
    const keys = keysFor(PODS);
    keys.type('r');
    const [binding] = keys.hook.bindings;
    if (binding?.type !== 'kubernetes') throw new Error('no binding');
    keys.state.last = newTask(keys.hook, { type: 'synchronization', binding }, 0);
    keys.state.hooks = [hookOf({ kubernetes: [{ name: 'pods', kind: 'ConfigMap' }] })];
    keys.type('r');
    keys.state.hooks = [];
    keys.type('r');

    expect(keys.sent).toEqual(['a.sh synchronization']);
    expect(keys.written()).toBe('nothing has run yet\nagain: a.sh pods synchronization\na.sh is not there any more\n');
  });

  it('quit, also with Ctrl-C in the middle of a choice, and show their help', () => {
    const keys = keysFor(PODS);
    keys.type('?qe\u0003');

    expect(keys.quits()).toBe(2);
    expect(keys.written()).toContain('  e  send an event');
  });

  it('say that hooks are not loaded yet', () => {
    let written = '';
    const keys = new DevKeys({ door: () => undefined, write: (text) => (written += text), quit: () => {} });
    keys.press('r');

    expect(written).toBe('hooks are not loaded yet\n');
  });

  it.skipIf(!hasPython())(
    'work on a terminal, and leave it as it was',
    () => {
      using folder = temporaryFolder();
      mkdirSync(join(folder.path, 'hooks'));
      const hook = join(folder.path, 'hooks', 'a.sh');
      const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['namespaces'] }];
      const bindings = {
        onStartup: 1,
        kubernetes: [{ name: 'ns', kind: 'Namespace', executeHookOnSynchronization: false }],
        kubernetesValidating: [{ name: 'ns.example.com', rules }],
        http: [{ name: 'call' }],
      };
      const config = JSON.stringify({ configVersion: 'v1', ...bindings });
      const response = '$VALIDATING_RESPONSE_PATH';
      const deny = `[ -z "${response}" ] || echo '{"allowed": false, "message": "not today"}' > "${response}"`;
      writeFileSync(hook, `#!/bin/sh\nif [ "$1" = --config ]; then echo '${config}'; exit; fi\necho here\n${deny}\n`);
      chmodSync(hook, 0o755);
      const printed = execFileSync('python3', ['-c', PTY, process.execPath, builtMain()], {
        cwd: folder.path,
        encoding: 'utf8',
        timeout: 50_000,
      });

      expect(printed.match(/a\.sh \| here/g)).toHaveLength(5);
      expect(printed).toMatch(/answered: 403: admission webhook "ns\.example\.com" denied the request: not today/);
      expect(printed).toMatch(/answered: 202: {"runId":".{36}"}/);
      expect(printed).toContain('again: a.sh onStartup');
      expect(printed).toContain('press ? for the keys, q to end');
      expect(printed).toMatch(/exit code 0, echo on$/);
    },
    60_000,
  );
});

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import pty'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Runs dev on a terminal: presses r after the first run, sends another, and quits. */
const PTY = String.raw`
import os, pty, select, sys, termios
main, replica = pty.openpty()
pid = os.fork()
if pid == 0:
    os.setsid()
    for fd in (0, 1, 2): os.dup2(replica, fd)
    os.execv(sys.argv[1], [sys.argv[1], sys.argv[2], "dev", "--log-format", "text"])
text = ""
for wanted, count, keys in [("hook finished", 1, "r"), ("hook finished", 2, "e3\r1\r"), ("hook finished", 3, ""), ("webhooks registered", 1, "e6\r1\r"), ("denied the request: not today", 1, "e7\r\r"), ("answered: 202", 1, ""), ("a.sh | here", 5, "q")]:
    while text.count(wanted) < count:
        if not select.select([main], [], [], 40)[0]: sys.exit(text + "silent")
        text += os.read(main, 65536).decode()
    os.write(main, keys.encode())
_, status = os.waitpid(pid, 0)
while select.select([main], [], [], 0.1)[0]: text += os.read(main, 65536).decode()
echo = "on" if termios.tcgetattr(replica)[3] & termios.ECHO else "off"
print(text + f"exit code {os.waitstatus_to_exitcode(status)}, echo {echo}", end="")
`;
