import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

// The minimum for an admission webhook: an HTTPS server that answers each review itself, or lets the script in
// `BARE_HOOK` answer, with a file for the review and one for the response in a folder of `BARE_SCRATCH`. All at once,
// without limits and log.
const { BARE_HOOK: hook = '', BARE_CERT: cert = '', BARE_KEY: key = '', BARE_PORT: port = '' } = process.env;
const folder = mkdtempSync(join(process.env['BARE_SCRATCH'] ?? tmpdir(), 'judge-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
let count = 0;

interface Review {
  readonly request: { readonly uid: string };
}

const server = createSecureServer({ cert: readFileSync(cert), key: readFileSync(key), allowHTTP1: true });
server.on('request', (request, response) => {
  void (async () => {
    const body = await text(request);
    const { uid } = (JSON.parse(body) as Review).request;
    const answer: unknown = JSON.parse(hook === '' ? '{"allowed":true}' : await spawned(body));
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, ...Object(answer) } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(review));
  })();
});
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));

async function spawned(body: string): Promise<string> {
  const place = join(folder, String(count++));
  writeFileSync(`${place}.json`, `[{"type":"Validating","review":${body}}]`);
  const env = { ...process.env, BINDING_CONTEXT_PATH: `${place}.json`, VALIDATING_RESPONSE_PATH: `${place}.out` };
  await new Promise((resolve) => {
    spawn(hook, [], { stdio: 'ignore', env }).once('exit', resolve);
  });
  const answer = readFileSync(`${place}.out`, 'utf8');
  for (const end of ['json', 'out']) rmSync(`${place}.${end}`);
  return answer;
}
