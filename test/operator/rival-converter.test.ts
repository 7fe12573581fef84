import { describe, expect, it, onTestFinished } from 'vitest';
import { converterAnswers } from '../../src/operator/webhooks/rival-converter.ts';
import { openWebhookServer } from '../../src/server/webhook-server.ts';
import { createCertificate } from '../support/certificate.ts';
import { never } from '../support/hook-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const PATH = '/crontabs.example.com';
const certificate = createCertificate();
const other = createCertificate();

/** A hooklet whose hooks convert, or do not any more. */
async function hooklet({ isOffered = true, clientCa = [] }: { isOffered?: boolean; clientCa?: readonly string[] }) {
  const server = await openWebhookServer({
    address: '127.0.0.1',
    port: 0,
    flags: { address: '--address', port: '--port' },
    certificate: () => certificate,
    clientCa: () => clientCa,
    routeOf: (path) =>
      path === PATH
        ? {
            maxBodyBytes: 1,
            isOffered: () => isOffered,
            answer: async () => ({ status: 200, type: 'text/plain', body: 'converted' }),
          }
        : undefined,
    log: recordingLogger(),
  });
  onTestFinished(async () => server.close());
  return `https://127.0.0.1:${server.port}`;
}

async function answers(clientConfig: object, bundle = certificate.cert, isInCluster = true): Promise<boolean> {
  return converterAnswers({ clientConfig: { ...clientConfig }, bundle }, isInCluster, never);
}

describe('the converter of another installation', () => {
  it('answers while a hook of it converts', async () => {
    expect(await answers({ url: `${await hooklet({})}${PATH}` })).toBe(true);
  });

  it('answers also where callers need a certificate', async () => {
    expect(await answers({ url: `${await hooklet({ clientCa: [other.cert] })}${PATH}` })).toBe(true);
  });

  it.each([
    ['no hook of it converts any more', async () => `${await hooklet({ isOffered: false })}${PATH}`],
    ['nothing is there', async () => `https://127.0.0.1:1${PATH}`],
    ['its address is none', async () => 'https://'],
  ])('does not answer when %s', async (_why, url) => {
    expect(await answers({ url: await url() })).toBe(false);
  });

  it('does not answer with a certificate that the API server would refuse', async () => {
    expect(await answers({ url: `${await hooklet({})}${PATH}` }, other.cert)).toBe(false);
  });

  it('counts as answering where it is a Service that cannot be called from outside of its cluster', async () => {
    expect(await answers({ service: { namespace: 'a', name: 'b', path: PATH } }, '', false)).toBe(true);
  });
});
