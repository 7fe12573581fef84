import { describe, expect, it } from 'vitest';
import { conversionPatch, converterConfig, readCrdConversion } from '../../../src/sources/conversion/crd-conversion.ts';

const SERVICE = { type: 'service', namespace: 'tools', name: 'conversion-svc' } as const;
const service = converterConfig(SERVICE, 'crontabs.g.io');
const url = converterConfig({ type: 'url', url: 'https://host:9681/' }, 'crontabs.g.io');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const REVIEWS = ['v1', 'v1beta1'];

const found = (conversion: object | undefined) =>
  readCrdConversion({ metadata: { uid: '1', resourceVersion: '2' }, spec: { conversion } });
const webhook = (clientConfig: object, conversionReviewVersions = REVIEWS) =>
  found({ strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions } });

describe('the registration of a converter', () => {
  it('names the path of the CustomResourceDefinition', () => {
    expect(service).toEqual({
      service: { namespace: 'tools', name: 'conversion-svc', path: '/crontabs.g.io', port: 443 },
    });
    expect(url).toEqual({ url: 'https://host:9681/crontabs.g.io' });
  });

  it.each([
    ['nothing', undefined],
    ['the strategy None', { strategy: 'None' }],
  ])('is whole where there was %s', (_what, conversion) => {
    expect(conversionPatch(found(conversion), service, 'ca')).toEqual({
      strategy: 'Webhook',
      webhook: {
        clientConfig: { url: null, ...service, caBundle: base64('ca') },
        conversionReviewVersions: REVIEWS,
      },
    });
  });

  it('is left alone when nothing differs, or only a bundle that somebody else keeps', () => {
    expect(conversionPatch(webhook({ ...service, caBundle: base64('ca') }), service, undefined)).toBeUndefined();
    expect(conversionPatch(webhook(service), service, undefined)).toBeUndefined();
  });

  it.each([
    ['the bundle', webhook(service), { webhook: { clientConfig: { caBundle: base64('ca') } } }],
    [
      'the versions of reviews',
      webhook({ ...service, caBundle: base64('ca') }, ['v1']),
      {
        webhook: {
          clientConfig: { caBundle: base64('ca') },
          conversionReviewVersions: REVIEWS,
        },
      },
    ],
    [
      'a URL in place of the Service',
      webhook(url),
      { webhook: { clientConfig: { url: null, ...service, caBundle: base64('ca') } } },
    ],
    [
      'another Service',
      webhook({ service: { namespace: 'x', name: 'y', port: 443 } }),
      { webhook: { clientConfig: { url: null, ...service, caBundle: base64('ca') } } },
    ],
  ])('writes only what differs: %s', (_what, registered, patch) => {
    expect(conversionPatch(registered, service, 'ca')).toEqual(patch);
  });

  it('takes the Service out where it becomes a URL', () => {
    expect(conversionPatch(webhook(service), url, undefined)).toEqual({
      webhook: { clientConfig: { service: null, ...url } },
    });
  });
});
