import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import type { TracingSettings } from '../../../src/operator/tracing/open-tracing.ts';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { kubeconfigFile } from '../../support/kubeconfig-file.ts';
import { recordingHook, sandboxCluster, startOperator, until, type OperatorRig } from '../../support/operator-rig.ts';
import { startProgram } from '../../support/program.ts';
import { attributesOf, httpCollector } from '../../support/trace-collector.ts';

const HOOK = {
  configVersion: 'v1',
  kubernetes: [{ name: 'maps', kind: 'ConfigMap', namespace: { nameSelector: { matchNames: ['default'] } } }],
};
const PATCH = `echo "\${TRACEPARENT:-}" >> "$OUT/parents"
cat > "$KUBERNETES_PATCH_PATH" <<'END'
operation: CreateOrUpdate
object: { apiVersion: v1, kind: Secret, metadata: { name: s, namespace: default } }
END`;

function settings(url: string): TracingSettings {
  return { protocol: 'http/json', url: `${url}/v1/traces`, shown: url, resource: { 'service.name': 'hooklet' } };
}

describe('the traces of runs', () => {
  it('reach the collector whole at the end, with the span that the hook was given', async () => {
    const sandbox = await sandboxForTest();
    const collector = await httpCollector();
    await using operator = startOperator({
      hooks: { 'hook.sh': recordingHook(HOOK, PATCH) },
      connect: sandboxCluster(sandbox),
      operator: { tracing: settings(collector.url) },
    });
    await until(() => expect(operator.runs('hook.sh')).toHaveLength(1));
    await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'default' } });
    await until(() => expect(operator.runs('hook.sh')).toHaveLength(2));
    await operator.stop();

    const spans = collector.spans();
    const roots = spans.filter(({ name }) => name === 'run');
    expect(roots.map((span) => attributesOf(span)['hooklet.reason'])).toEqual(['Synchronization', 'Added default/web']);
    const [, event] = roots;
    const own = spans.filter(({ traceId }) => traceId === event?.traceId);
    expect(own.map(({ name }) => name)).toEqual(['queue', 'hook', 'patch CreateOrUpdate', 'run']);
    expect(event?.events?.map(({ name }) => name)).toEqual(['event seen', 'queued', 'started', 'hook ended']);
    const hook = own.find(({ name }) => name === 'hook');
    expect(parentsOf(operator).at(-1)).toBe(`00-${hook?.traceId}-${hook?.spanId}-01`);
  });

  it.each([
    ['never', 'traces were not sent before the end'],
    [500, 'traces cannot be sent'],
  ] as const)('harm no run where the collector answers %j, nor the end within 6 s', async (answer, message) => {
    const sandbox = await sandboxForTest();
    const collector = await httpCollector(answer);
    await using operator = startOperator({
      hooks: { 'hook.sh': recordingHook(HOOK) },
      connect: sandboxCluster(sandbox),
      operator: { tracing: settings(collector.url) },
    });
    await until(() => expect(operator.runs('hook.sh')).toHaveLength(1));
    const metadata = { name: 'web', namespace: 'default' };
    for (let n = 0; n < 5; n += 1) {
      await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { n: String(n) } });
    }
    await until(() => expect(JSON.stringify(operator.contexts('hook.sh').at(-1))).toContain('"n":"4"'));
    const startedAt = performance.now();
    await operator.stop();

    expect(performance.now() - startedAt).toBeLessThan(6000);
    expect(operator.lines.map((line) => line.message)).toContain(message);
  });

  it('are none without settings, and hooks get no TRACEPARENT', async () => {
    const sandbox = await sandboxForTest();
    await using operator = startOperator({
      hooks: { 'hook.sh': recordingHook(HOOK, PATCH) },
      connect: sandboxCluster(sandbox),
    });
    await until(() => expect(parentsOf(operator)).toEqual(['']));
  });

  it.each([
    ['no packages of OpenTelemetry', {}, false],
    ['the packages of its protocol alone', { TRACING_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
  ])('load %s with %j', async (_, env, isLoaded) => {
    using folder = temporaryFolder();
    const sandbox = await sandboxForTest();
    mkdirSync(join(folder.path, 'hooks'));
    const program = startProgram(['start', '--listen-port', '0', '--listen-address', '127.0.0.1'], {
      main: fileURLToPath(new URL('../../../src/main.ts', import.meta.url)),
      cwd: folder.path,
      env: {
        KUBECONFIG: kubeconfigFile(folder.path, sandbox),
        HOOKLET_TMP_DIR: folder.path,
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(REPORT)}`,
        ...env,
      },
    });
    await program.says('"msg":"cluster found"');
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);

    expect(program.stderr()).toMatch(/loaded .*\/commander\/|loaded .*\/yaml\//);
    expect(/loaded .*@opentelemetry/.test(program.stderr())).toBe(isLoaded);
    expect(program.stderr()).not.toMatch(/loaded .*grpc-js/);
  });
});

// Prints what is loaded of other packages.
const REPORT = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  if (url.includes('/node_modules/')) process.stderr.write('loaded ' + url + String.fromCharCode(10));
  return next(url, context);
} });`;

function parentsOf({ out }: OperatorRig): readonly string[] {
  return readFileSync(join(out, 'parents'), 'utf8').trimEnd().split('\n');
}
