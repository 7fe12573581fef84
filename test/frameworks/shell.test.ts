import { cpSync, existsSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseResult } from '../../src/effects/read-result.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { readScriptConfig, runScript } from '../support/script-rig.ts';

const env = { SHELL_LIB: fileURLToPath(new URL('../../frameworks/shell_lib.sh', import.meta.url)) };
const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/shell-framework/${name}.sh`, import.meta.url));
const programPath = (name: string): string => {
  const folders = (process.env['PATH'] ?? '').split(':');
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`this test needs ${name} on the PATH`);
  return found;
};

describe('the shell framework', { timeout: 60_000 }, () => {
  it('prints what __config__ prints for --config', async () => {
    expect(await readScriptConfig(fixture('handlers'), env)).toBe('{"configVersion": "v1", "onStartup": 1}\n');
  });

  const event = (watchEvent: string) => ({ binding: 'pods', type: 'Event', watchEvent, object: {} });
  const conversion = { binding: 'crontabs', type: 'Conversion', fromVersion: 'v1', toVersion: 'example.com/v2' };

  it('calls the most special function for each context, in order', async () => {
    const contexts = [
      { binding: 'onStartup' },
      { binding: 'pods', type: 'Synchronization', objects: [] },
      event('Added'),
      event('Modified'),
      event('Deleted'),
      { binding: 'pods', type: 'Group', groupName: 'all' },
      { binding: 'nightly', type: 'Schedule' },
      { binding: 'check.example.com', type: 'Validating' },
      { binding: 'change.example.com', type: 'Mutating' },
      conversion,
      { binding: 'unheard-of', type: 'Schedule' },
      { binding: 'name with spaces', type: 'Event', watchEvent: 'Added' },
    ];

    const { printed, failure } = await runScript(fixture('handlers'), { contexts, env });

    expect(failure).toBeUndefined();
    expect(printed).toEqual([
      '__on_startup for 0 onStartup',
      '__on_kubernetes::pods::synchronization for 1 pods',
      '__on_kubernetes::pods::added for 2 pods',
      '__on_kubernetes::pods::modified for 3 pods',
      '__on_kubernetes::pods::deleted for 4 pods',
      '__on_group::all for 5 pods',
      '__on_schedule::nightly for 6 nightly',
      '__on_validating::check.example.com for 7 check.example.com',
      '__on_mutating::change.example.com for 8 change.example.com',
      '__on_conversion::crontabs::v1::example.com.v2 for 9 crontabs',
      '__main__ for 10 unheard-of',
      '__main__ for 11 name with spaces',
    ]);
  });

  it.each<{ readonly without: string; readonly context: unknown; readonly called: string }>([
    {
      without: '__on_kubernetes::pods::added',
      context: event('Added'),
      called: '__on_kubernetes::pods::added_or_modified',
    },
    {
      without: '__on_kubernetes::pods::modified',
      context: event('Modified'),
      called: '__on_kubernetes::pods::added_or_modified',
    },
    { without: '__on_kubernetes::pods::deleted', context: event('Deleted'), called: '__on_kubernetes::pods' },
    {
      without: '__on_kubernetes::pods::synchronization',
      context: { binding: 'pods', type: 'Synchronization', objects: [] },
      called: '__on_kubernetes::pods',
    },
    {
      without: '__on_conversion::crontabs::v1::example.com.v2',
      context: conversion,
      called: '__on_conversion::crontabs',
    },
    { without: '__on_startup', context: { binding: 'onStartup' }, called: '__main__' },
  ])('falls back to $called without $without', async ({ without, context, called }) => {
    const { printed } = await runScript(fixture('handlers'), { contexts: [context], env: { ...env, SKIP: without } });

    expect(printed).toEqual([expect.stringMatching(new RegExp(`^${called} for 0 `))]);
  });

  it('says which functions it looked for when there is none', async () => {
    const skip = '__on_kubernetes::pods::added __on_kubernetes::pods::added_or_modified __on_kubernetes::pods __main__';

    const { failure } = await runScript(fixture('handlers'), {
      contexts: [event('Added')],
      env: { ...env, SKIP: skip },
    });

    expect(failure).toContain(`no function for binding context 0, define one of: ${skip.replaceAll(' ', ', ')}`);
  });

  const object = {
    metadata: { name: 'web', labels: { 'app.kubernetes.io/name': 'shop' } },
    spec: { 'first-list': ['a', 'b'] },
    empty: null,
    on: true,
    off: false,
  };
  const values = [
    'count 2',
    'jq {"name":"web","labels":{"app.kubernetes.io/name":"shop"}}',
    'web',
    '{',
    '  "app.kubernetes.io/name": "shop"',
    '}',
    'shop',
    'b',
    'null',
    'web',
    'other',
    'context::has object.metadata.name yes',
    'context::has object.empty yes',
    'context::has object.absent no',
    'context::has object.absent.below no',
    'context::has object.metadata.name.below no',
    'context::has object.spec.first-list.1 yes',
    'context::has object.spec.first-list.2 no',
    'context::is_true object.on yes',
    'context::is_true object.off no',
    'context::is_true object.absent no',
    'context::is_false object.off yes',
    'context::is_false object.on no',
    'context::is_false object.absent no',
    'context::is_null object.empty yes',
    'context::is_null object.absent yes',
    'context::is_null object.off no',
  ];

  it('finds values in the context that is handled now', async () => {
    const contexts = [
      { ...event('Deleted'), object: { metadata: { name: 'other' } } },
      { ...event('Added'), object },
    ];

    const { printed, failure } = await runScript(fixture('values'), { contexts, env });

    expect(failure).toBeUndefined();
    expect(printed.slice(-values.length)).toEqual(values);
  });

  const named: readonly (readonly [path: string, value: string, isThere?: boolean])[] = [
    ['object.metadata.name', 'web', true],
    ['.object.metadata.name', 'web', true],
    ['object.metadata.labels."app.kubernetes.io/name"', 'shop', true],
    ["object.metadata.labels.'app.kubernetes.io/name'", 'shop', true],
    [".object.metadata.labels.'app.kubernetes.io/name'", 'shop', true],
    ['object.metadata.labels["app.kubernetes.io/name"]', 'shop'],
    ['object.spec.first-list.1', 'b', true],
    ['object.spec."first-list"', '["a","b"]', true],
    ['object.spec."first-list"[1]', 'b'],
    ['object.spec.first-list.9', 'null'],
    ['objects.0.object.metadata.name', 'first', true],
    ['objects[0].object.metadata.name', 'first', true],
    ['objects[1:][0].object.metadata.name', 'second', true],
    ['objects | length', '2'],
    ['objects | map(.object.metadata.name) | join(",")', 'first,second'],
    ['objects | map(select(.object.metadata.name == "second")) | length', '1'],
    ['objects | map(select("a.b" == .object.key)) | length', '2'],
    ['object.absent // "other"', 'other'],
    ["object.absent // 'other'", 'other'],
    ['object.on == true', 'true'],
    ['["object"].metadata.name', 'web', true],
    // A dash makes a key of it.
    ['objects | length - 1', 'null'],
    ['object.metadata.name.below', 'failed'],
    ['object..below', 'failed'],
  ];

  it('finds what a path names, and a piece of jq', async () => {
    const objects = ['first', 'second'].map((name) => ({ object: { metadata: { name }, key: 'a.b' } }));

    const { printed } = await runScript(fixture('paths'), {
      contexts: [{ ...event('Added'), object, objects }],
      env: { ...env, PATHS: named.map(([path]) => path).join('\n') },
    });

    const expected = named.map(
      ([path, value, isThere = false]) => `${path} => ${value}, has ${isThere ? 'yes' : 'no'}`,
    );
    expect(printed).toEqual(expected);
  });

  it('ends the hook after its config, and not after its contexts', async () => {
    const contexts = [event('Added'), event('Modified')];

    const { printed } = await runScript(fixture('follows'), { contexts });

    expect(await readScriptConfig(fixture('follows'))).toBe('{"configVersion": "v1", "onStartup": 1}\n');
    expect(printed).toEqual(['one of two', 'one of two', 'what follows']);
  });

  it('calls no function where there is no context', async () => {
    const { printed, failure } = await runScript(fixture('follows'), { contexts: [] });

    expect({ printed, failure }).toEqual({ printed: ['what follows'] });
  });

  it('uses the jq of the operator where there is no other', async () => {
    using tmp = temporaryFolder();
    for (const name of ['bash', 'cat', 'dirname', 'env', 'find', 'sh', 'sort']) {
      symlinkSync(programPath(name), join(tmp.path, name));
    }

    const { printed, failure } = await runScript(fixture('own-jq'), {
      contexts: [{ ...event('Added'), object }],
      env: { ...env, PATH: tmp.path },
    });

    expect(failure).toBeUndefined();
    expect(printed).toEqual(['web', 'the jq of the hook is a function']);
  });

  it('finds its parts where the image has them, with the library at the root', async () => {
    using tmp = temporaryFolder();
    const folder = dirname(env.SHELL_LIB);
    cpSync(env.SHELL_LIB, join(tmp.path, 'shell_lib.sh'));
    cpSync(join(folder, 'shell'), join(tmp.path, 'frameworks', 'shell'), { recursive: true });

    const { printed } = await runScript(fixture('own-jq'), {
      contexts: [{ ...event('Added'), object }],
      env: { SHELL_LIB: join(tmp.path, 'shell_lib.sh') },
    });

    expect(printed[0]).toBe('web');
  });

  it.each<{ readonly how: string; readonly said: RegExp }>([
    { how: 'a_command', said: /exit code 1: grep -q something[^]*in a_command, .*fails\.sh line \d+/ },
    { how: 'a_pipe', said: /exit code 1: / },
    { how: 'a_substitution', said: /exit code 1: / },
    { how: 'an_unset_variable', said: /not_set: unbound variable/ },
    { how: 'a_glob', said: /no match: \/nothing-here-\*/ },
    { how: 'a_required_value', said: /the binding context has no object\.name, which is required/ },
    { how: 'a_broken_path', said: /compile error[^]*in a_broken_path, / },
  ])('ends the run at $how that fails, and says where', async ({ how, said }) => {
    const contexts = ['first', 'second', 'third'].map((binding) => ({ binding, type: 'Schedule' }));

    const { printed, failure } = await runScript(fixture('fails'), { contexts, env: { ...env, HOW: how } });

    expect(failure).toMatch(said);
    expect(printed.slice(0, 2)).toEqual(['first says changed', 'second says nothing']);
    expect(printed).not.toContain('not reached');
    expect(printed).not.toContain('third is not reached');
  });

  const saying = async (how: string, contexts: readonly unknown[] = [event('Added')], more = {}) => {
    const run = await runScript(fixture('results'), { contexts, env: { ...env, ...more, HOW: how } });
    return { ...run, said: run.result === '' ? undefined : JSON.parse(run.result) };
  };

  it('says that its work cannot be done yet, and adds up what it said before', async () => {
    const { outcome, printed, said } = await saying('later');

    expect(outcome).toBe('later');
    expect(printed).toEqual([]);
    expect(said).toEqual({
      outcome: 'later',
      retryAfter: '30s',
      message: 'waiting for "quorum"',
      output: { step: 2 },
    });
  });

  it('says that another attempt is useless, in a text of at most 1024 bytes', async () => {
    const { outcome, failure, said } = await saying('permanent');

    expect(outcome).toBe('permanent');
    expect(failure).toBe('hook hook.sh failed: exit code 78');
    expect(said).toMatchObject({
      outcome: 'permanent',
      reason: 'NoQuorum',
      message: expect.stringMatching(/^ü{500,}…$/),
    });
    expect(Buffer.byteLength(said.message)).toBeLessThanOrEqual(1024);
  });

  it('sets conditions, status and Events for the context that is handled', async () => {
    const contexts = [
      { ...event('Added'), ready: 'True' },
      { ...event('Added'), ready: 'False' },
    ];

    const { outcome, failure, said } = await saying('conditions', contexts);

    expect({ outcome, failure }).toEqual({ outcome: 'done' });
    const part = (index: number, status: string) => ({
      index,
      conditions: [{ type: 'Ready', status, reason: 'Looked', message: 'text' }],
      status: { a: 1, b: 2 },
      events: [
        { type: 'Warning', reason: 'Odd', message: '' },
        { type: 'Normal', reason: 'Even', message: 'text' },
      ],
      retryAfter: '10m',
    });
    expect(said).toEqual({ contexts: [part(0, 'True'), part(1, 'False')] });
    const scope = ['a', 'b'].map((object) => ({ object, isReconcile: false }));
    expect(parseResult(JSON.stringify(said), { contexts: scope }).warnings).toEqual([]);
  });

  it('says how single contexts ended', async () => {
    const { outcome, said } = await saying('contexts', [event('Added'), event('Added')]);

    expect(outcome).toBe('done');
    expect(said).toEqual({
      contexts: [
        { index: 0, outcome: 'failed', reason: 'NoQuorum', message: 'text', retryAfter: '30s' },
        { index: 1, outcome: 'later', retryAfter: '30s', message: '' },
      ],
    });
  });

  it('fails where it is given no JSON', async () => {
    const { outcome, failure, said } = await saying('bad_json');

    expect({ outcome, said }).toEqual({ outcome: 'failed', said: undefined });
    expect(failure).toMatch(/in bad_json/);
  });

  it('has its exit code where nothing reads results, and says why', async () => {
    const { outcome, printed, said } = await saying('unread');

    expect({ outcome, said }).toEqual({ outcome: 'later', said: undefined });
    expect(printed).toEqual(['later: waiting']);
  });

  it('says the same with the jq of the operator', async () => {
    using tmp = temporaryFolder();
    for (const name of ['bash', 'cat', 'dirname', 'env', 'find', 'sh', 'sort']) {
      symlinkSync(programPath(name), join(tmp.path, name));
    }

    const { said } = await saying('later', undefined, { PATH: tmp.path });

    expect(said).toMatchObject({ outcome: 'later', output: { step: 2 } });
  });

  it('collects the children, the status and the finalization of each object', async () => {
    const contexts = ['made', 'none', 'gone', 'left'].map((binding) => ({ binding, type: 'Reconcile', object: {} }));

    const { result } = await runScript(fixture('reconcile'), { contexts, env });

    const child = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
    expect(JSON.parse(result)).toEqual({
      contexts: [
        {
          index: 0,
          children: [child('a'), child('b'), child('c'), { object: child('d'), after: ['Secret/a', 'c'] }],
          status: { count: 4 },
        },
        { index: 1, children: [] },
        { index: 2, finalized: true },
      ],
    });
  });

  it('keeps a state, tells once, and refuses an object', async () => {
    const context = (binding: string, state: unknown) => ({ binding, type: 'Reconcile', object: {}, state });
    const contexts = [context('kept', { step: 2 }), context('kept', null), context('refused', {})];

    const { result } = await runScript(fixture('reconcile'), { contexts, env });

    const step = (number: number) => {
      const message = `step ${number}`;
      return { state: { step: number + 1 }, events: [{ type: 'Normal', reason: 'Stepped', message, once: message }] };
    };
    const refused = { reason: 'TooSmall', message: 'spec.size is 1' };
    expect(JSON.parse(result)).toEqual({
      contexts: [
        { index: 0, ...step(2) },
        { index: 1, ...step(0) },
        { index: 2, refused, state: null },
      ],
    });
    const scope = ['a', 'b', 'c'].map((object) => ({ object, isReconcile: true }));
    expect(parseResult(result, { contexts: scope }).warnings).toEqual([]);
  });

  it('fails for a state that is no JSON value, which would forget the one before', async () => {
    const context = { binding: 'empty', type: 'Reconcile', object: {}, state: { step: 2 } };

    const { failure, result } = await runScript(fixture('reconcile'), { contexts: [context], env });

    expect(failure).toBeDefined();
    expect(result).not.toContain('state');
  });
});
