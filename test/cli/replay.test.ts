import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exportRun } from '../../src/cli/replay/export-run.ts';
import { replayCommand } from '../../src/cli/replay/replay.ts';
import { UsageError } from '../../src/errors.ts';
import type { ControlIo } from '../../src/cli/control/client.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { runProgram } from '../support/program.ts';

const RUN_ID = '05f8c339-b420-40e4-a5b0-059ff51fcf9f';
const MARK = 'masked-0123456789abcdef0';
const OTHER = 'masked-ffffffffffffffff0';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const web = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'web', namespace: 'shop', uid: 'a-uid', resourceVersion: '4711' },
  data: { size: '1' },
};
const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g', namespace: 'shop' }, spec: {} };
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'db', namespace: 'shop' },
  data: { key: base64(MARK) },
};

const watched = (name: string, kind: string) => ({ name, kind, executeHookOnSynchronization: false });
const config = {
  configVersion: 'v1',
  kubernetes: [
    { ...watched('maps', 'ConfigMap'), includeSnapshotsFrom: ['gadgets', 'secrets'] },
    watched('gadgets', 'Gadget'),
    watched('secrets', 'Secret'),
  ],
};
const contexts = [
  {
    binding: 'maps',
    object: web,
    snapshots: { gadgets: [{ object: gadget }], secrets: [{ object: secret }] },
    type: 'Event',
    watchEvent: 'Modified',
  },
];
const patch = [
  { operation: 'MergePatch', kind: 'ConfigMap', namespace: 'shop', name: 'web', mergePatch: { data: { seen: MARK } } },
  {
    operation: 'Create',
    object: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'made', namespace: 'shop' },
      stringData: { key: OTHER },
    },
  },
];

function recordingOf(fields: object = {}) {
  return {
    format: 'hooklet-recording',
    version: 1,
    hooklet: '1.0.0',
    run: {
      id: RUN_ID,
      hook: 'hook.sh',
      binding: 'maps',
      queue: 'main',
      reason: 'Modified shop/web',
      attempt: 1,
      objects: [],
      queued: '2026-01-05T00:00:00.000Z',
      started: '2026-01-05T00:00:00.000Z',
      waitedMs: 0,
      outcome: 'succeeded',
      patches: [],
      lines: 1,
    },
    hook: { name: 'hook.sh', type: 'process' },
    env: { RUN_ID },
    contexts,
    ending: { type: 'succeeded' },
    outputs: { patch: { documents: patch } },
    printed: [{ stream: 'stdout', line: `the key is ${MARK}` }],
    ...fields,
  };
}

/** A hook that needs no programs but those of the shell. */
function hookWith(body: string, bindings: object = config): string {
  return `#!/bin/bash
set -eu
if [ "\${1:-}" = --config ]; then
cat <<'CONFIG'
${JSON.stringify(bindings)}
CONFIG
exit
fi
${body}
`;
}

const BODY = `
contexts=$(<"$BINDING_CONTEXT_PATH")
key=$(grep -o '"key":"[^"]*"' <<< "$contexts" | cut -d '"' -f 4 | base64 -d)
echo "the key is $key"
cat > "$KUBERNETES_PATCH_PATH" <<END
operation: MergePatch
kind: ConfigMap
namespace: shop
name: web
mergePatch: '{"data": {"seen": "$key"}}'
---
operation: Create
object: {apiVersion: v1, kind: Secret, metadata: {name: made, namespace: shop}, stringData: {key: made-by-me}}
END
`;

interface Files {
  readonly [name: string]: string | object;
}

/** A folder with hooks and recordings. */
function folderWith(files: Files): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    if (name.endsWith('.sh')) chmodSync(path, 0o755);
  }
  return folder.path;
}

async function replay(files: Files, ...flags: readonly string[]) {
  const cwd = folderWith(files);
  const { exitCode, stdout, stderr } = await runProgram(['replay', 'run.json', '--hooks', 'hooks', ...flags], { cwd });
  return { exitCode, stdout, stderr, report: stdout.startsWith('{') ? JSON.parse(stdout) : undefined };
}

describe('hooklet replay', { timeout: 60_000 }, () => {
  it('a hook that does the same is the same, on a sandbox that has what the run saw, whatever wrote the recording', async () => {
    const files = { 'hooks/hook.sh': hookWith(BODY), 'run.json': recordingOf() };
    const { exitCode, report, stderr } = await replay(files, '-o', 'json');

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(report).toMatchObject({ run: RUN_ID, same: true, uncompared: 1, objects: 3, problems: [], notes: [] });
    const changes = report.changes.map(({ change, object }: Record<string, string>) => `${change} ${object}`);
    expect(changes).toEqual(['changed v1/ConfigMap/shop/web', 'created v1/Secret/shop/made']);
    expect(report.changes[0].diff).toContain(`+  seen: ${MARK}`);
  });

  it('what differs is shown with a diff, and the exit code is 1 unless it is ignored', async () => {
    const body = `${BODY.replace('the key', 'a key')}\nexit 3`;
    const files = { 'hooks/hook.sh': hookWith(body), 'run.json': recordingOf() };
    const { exitCode, stdout } = await replay(files);

    expect(exitCode).toBe(1);
    expect(stdout).toContain('exit        differs: succeeded, now failed: exit code 3\n');
    expect(stdout).toContain(`-stdout the key is ${MARK}\n+stdout a key is ${MARK}\n`);
    expect(stdout).toContain('patch       same: 2 documents\n');
    expect(stdout).toMatch(/The run differs: exit, output\. 1 masked value could not be compared\.\n$/);
    const ignoring = await replay(files, '--ignore', 'exit', '--ignore', 'output');
    expect(ignoring).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('The run is the same.') });
  });

  it('the hook reads the sandbox with its kubeconfig, and finds kinds that nobody has defined', async () => {
    const read = `
url=$(grep -o 'server: .*' "$KUBECONFIG" | cut -d ' ' -f 2)
exec 3<>"/dev/tcp/127.0.0.1/\${url##*:}"
printf 'GET /apis/example.com/v1/namespaces/shop/gadgets/g HTTP/1.0\\r\\n\\r\\n' >&3
grep -o '"kind":"Gadget"' <&3 | head -1
grep -o 'hooklet-replay' <<< "$KUBECONFIG"
echo "run $RUN_ID of \${KUBERNETES_SERVICE_HOST:-nowhere}"`;
    const lines = ['"kind":"Gadget"', 'hooklet-replay', `run ${RUN_ID} of nowhere`];
    const printed = lines.map((line) => ({ stream: 'stdout', line }));
    const files = { 'hooks/hook.sh': hookWith(read), 'run.json': recordingOf({ outputs: {}, printed }) };

    expect(await replay(files)).toMatchObject({ exitCode: 0 });
  });

  it('a reconcile is replayed with the children that it wants, and those that it no longer wants', async () => {
    const bindings = {
      configVersion: 'v1',
      reconcile: [
        {
          name: 'gadgets',
          apiVersion: 'example.com/v1',
          kind: 'Gadget',
          owns: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
        },
      ],
    };
    const child = (name: string, size: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: { size },
    });
    const old = { ...child('old', '1'), metadata: { name: 'old', namespace: 'shop' } };
    const context = {
      attempt: 1,
      binding: 'gadgets',
      finalizing: false,
      object: gadget,
      owned: { ConfigMap: [{ object: old }] },
      reason: 'changed',
      runId: RUN_ID,
      type: 'Reconcile',
      watched: {},
    };
    const recording = recordingOf({
      contexts: [context],
      outputs: { result: { documents: [{ children: [child('new', '1')] }] } },
      printed: [],
    });
    const body = `echo '${JSON.stringify({ children: [child('new', '2')] })}' > "$RESULT_PATH"`;
    const { exitCode, report } = await replay(
      { 'hooks/hook.sh': hookWith(body, bindings), 'run.json': recording },
      '-o',
      'json',
    );

    expect(exitCode).toBe(1);
    const changes = report.changes.map(({ change, object }: Record<string, string>) => `${change} ${object}`);
    expect({ changes, problems: report.problems }).toEqual({
      changes: ['created v1/ConfigMap/shop/new', 'deleted v1/ConfigMap/shop/old'],
      problems: [],
    });
    const [result] = report.parts.filter(({ part }: { part: string }) => part === 'result');
    expect(result.diff).toMatch(/-\s+"size": "1"\n\+\s+"size": "2"/);
  });

  it('the response of a webhook in a TypeScript hook is compared, with the patch in it', async () => {
    const hook = `import { defineHook, mutating } from 'hooklet';
export default defineHook({
  bindings: { 'pods.example.com': mutating({ rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }] }) },
  run: ({ answer }) => answer.allowWithPatch([{ op: 'add', path: '/metadata/labels', value: { a: 'now' } }]),
});`;
    const request = {
      uid: 'u',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      operation: 'CREATE',
      object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'shop' } },
    };
    const recorded = base64(JSON.stringify([{ op: 'add', path: '/metadata/labels', value: { a: 'then' } }]));
    const recording = recordingOf({
      hook: { name: 'hook.ts', type: 'warm' },
      contexts: [{ binding: 'pods.example.com', review: { request }, type: 'Mutating' }],
      outputs: { admission: { documents: [{ allowed: true, patch: recorded }] } },
      printed: [],
    });
    const { report, stderr } = await replay({ 'hooks/hook.ts': hook, 'run.json': recording }, '-o', 'json');

    expect(stderr).toBe('');
    const [admission] = report.parts.filter(({ part }: { part: string }) => part === 'admission');
    expect(admission.diff).toMatch(/-\s+"a": "then"\n\+\s+"a": "now"/);
  });

  it('--contexts prints what the hook was given, and runs nothing, also of a packed recording', async () => {
    const cwd = folderWith({});
    writeFileSync(join(cwd, 'run.json.gz'), gzipSync(JSON.stringify(recordingOf())));
    const { exitCode, stdout } = await runProgram(['replay', 'run.json.gz', '--contexts'], { cwd });

    expect({ exitCode, contexts: JSON.parse(stdout) }).toEqual({ exitCode: 0, contexts });
  });
});

describe('a recording that is none', () => {
  const { format: _, ...formless } = recordingOf();
  it.each([
    [
      'of a newer version',
      recordingOf({ version: 2, hooklet: '9.0.0' }),
      /version is 2, written by hooklet "9\.0\.0"; hooklet .* reads up to 1/,
    ],
    ['of no version', recordingOf({ version: 'x' }), /version: got "x", expected 1/],
    ['without a format', formless, /format: got undefined, expected "hooklet-recording"/],
    ['with an unknown field', recordingOf({ hok: 1 }), /hok: unknown field, did you mean hook\?/],
    [
      'with contexts that are none',
      recordingOf({ contexts: [1, {}] }),
      /contexts\[0\]: got 1, expected a binding context/,
    ],
    [
      'with another environment',
      recordingOf({ env: { PATH: '/tmp', RUN_ID: '$(x)' } }),
      /env\.PATH: unknown field[^]*env\.RUN_ID: got/,
    ],
    [
      'of a hook elsewhere',
      recordingOf({ hook: { name: '../evil.sh', type: 'process' } }),
      /hook "\.\.\/evil\.sh" of the recording is not in .*hooks/,
    ],
    [
      'of a hook with a path',
      recordingOf({ hook: { name: '/bin/sh', type: 'process' } }),
      /is not in .*hooks: there is hook\.sh/,
    ],
    ['that is no JSON', 'hello', /is not JSON/],
    ['that is too deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, /nested deeper than|is not JSON/],
  ])('%s is refused as wrong usage, and nothing is run', async (_name, recording, message) => {
    const files = {
      'evil.sh': hookWith('touch ran'),
      'hooks/hook.sh': hookWith('touch ran'),
      'run.json': recording,
    };
    const folder = folderWith(files);
    const flags = { hooks: join(folder, 'hooks') };

    const refused = replayCommand(join(folder, 'run.json'), flags);
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(message);
    expect(existsSync(join(folder, 'hooks', 'ran')) || existsSync(join(folder, 'ran'))).toBe(false);
  });
});

describe('hooklet runs export', () => {
  const text = JSON.stringify(recordingOf());
  const io = (said: string[] = []) =>
    ({
      client: { ask: async () => ({ id: RUN_ID, recording: gzipSync(text).toString('base64') }) },
      raw: (output: string | Uint8Array) => void said.push(String(output)),
      stdout: () => {},
      stderr: () => {},
    }) as unknown as ControlIo;

  it('prints the recording, or writes it to a file that only its user may read', async () => {
    const said: string[] = [];
    const file = join(folderWith({}), 'run.json');

    expect(await exportRun('05f8', {}, io(said))).toBe(0);
    expect(said).toEqual([`${text}\n`]);
    expect(await exportRun('05f8', { output: file }, io())).toBe(0);
    expect({ text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777 }).toEqual({
      text: `${text}\n`,
      mode: 0o600,
    });
  });

  it('writes over a file only with --force, and never through a link', async () => {
    const folder = folderWith({ 'run.json': 'mine', 'other.json': 'mine too' });
    const file = join(folder, 'run.json');
    symlinkSync(join(folder, 'other.json'), join(folder, 'link.json'));

    await expect(exportRun('05f8', { output: file }, io())).rejects.toThrow(/is there already; --force/);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    await expect(exportRun('05f8', { output: join(folder, 'link.json'), force: true }, io())).rejects.toThrow(
      /cannot be written/,
    );
    expect(readFileSync(join(folder, 'other.json'), 'utf8')).toBe('mine too');
    expect(await exportRun('05f8', { output: file, force: true }, io())).toBe(0);
    expect({ text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777 }).toEqual({
      text: `${text}\n`,
      mode: 0o600,
    });
  });
});
