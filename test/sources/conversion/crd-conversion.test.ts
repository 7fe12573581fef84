import { describe, expect, it } from 'vitest';
import {
  CONVERTER_OWNER,
  converterConfig,
  converterPatch,
  readCrdConversion,
} from '../../../src/sources/conversion/crd-conversion.ts';

const SERVICE = { type: 'service', namespace: 'tools', name: 'conversion-svc' } as const;
const service = converterConfig(SERVICE, 'crontabs.g.io');
const url = converterConfig({ type: 'url', url: 'https://host:9681/' }, 'crontabs.g.io');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const REVIEWS = ['v1', 'v1beta1'];

const found = (conversion: object | undefined, owner = 'tools/a') =>
  readCrdConversion({
    metadata: { name: 'crontabs.g.io', uid: '1', resourceVersion: '2', annotations: { [CONVERTER_OWNER]: owner } },
    spec: { conversion },
  });
const webhook = (clientConfig: object, conversionReviewVersions = REVIEWS, owner?: string) =>
  found({ strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions } }, owner);
const patchOf = (registered: ReturnType<typeof found>, clientConfig: typeof url, bundle: string | undefined) =>
  converterPatch(registered, { clientConfig, bundle, owner: 'tools/a' });
/** Of a registration that had no mark before. */
const marked = { metadata: { annotations: { [CONVERTER_OWNER]: 'tools/a' } } };

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
    expect(patchOf(found(conversion), service, 'ca')).toEqual({
      ...marked,
      spec: {
        conversion: {
          strategy: 'Webhook',
          webhook: {
            clientConfig: { url: null, ...service, caBundle: base64('ca') },
            conversionReviewVersions: REVIEWS,
          },
        },
      },
    });
  });

  it('is left alone when nothing differs, or only a bundle that somebody else keeps', () => {
    expect(patchOf(webhook({ ...service, caBundle: base64('ca') }), service, undefined)).toBeUndefined();
    expect(patchOf(webhook(service), service, undefined)).toBeUndefined();
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
    const isMarked = registered.owner !== undefined;
    expect(patchOf(registered, service, 'ca')).toEqual({ ...(!isMarked && marked), spec: { conversion: patch } });
  });

  it('takes the Service out where it becomes a URL', () => {
    expect(patchOf(webhook(service), url, undefined)).toEqual({
      spec: { conversion: { webhook: { clientConfig: { service: null, ...url } } } },
    });
  });

  it('names its installation, unless another one with the same address is named', () => {
    expect(patchOf(webhook(service, REVIEWS, ''), service, undefined)).toEqual(marked);
    expect(patchOf(webhook(service, REVIEWS, 'tools/b'), service, undefined)).toBeUndefined();
  });
});

describe('the owner of a converter', () => {
  it('is the installation that the annotation names, while the converter there is one of hooklet', () => {
    expect(webhook(service).owner).toBe('tools/a');
    expect(webhook(url).owner).toBe('tools/a');
    expect(webhook(service, REVIEWS, '').owner).toBeUndefined();
    expect(webhook({ service: { namespace: 'x', name: 'y', path: '/convert' } }).owner).toBeUndefined();
    expect(found({ strategy: 'None' }).owner).toBeUndefined();
  });
});
