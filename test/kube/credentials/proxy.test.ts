import { describe, expect, it } from 'vitest';

import { CredentialsError } from '../../../src/errors.ts';
import { parseProxy, proxyFromEnvironment } from '../../../src/kube/credentials/proxy.ts';

const proxyFor = (server: string, env: Readonly<Record<string, string>>): string | undefined =>
  proxyFromEnvironment(new URL(server), env)?.host;

describe('proxyFromEnvironment', () => {
  it.each([
    [{ HTTPS_PROXY: 'http://p:3128' }, 'https://api.example', 'p:3128'],
    [{ https_proxy: 'http://p:3128' }, 'https://api.example', 'p:3128'],
    [{ HTTPS_PROXY: 'p:3128' }, 'https://api.example', 'p:3128'],
    [{ HTTP_PROXY: 'http://p:3128' }, 'https://api.example', undefined],
    [{ HTTP_PROXY: 'http://p:3128' }, 'http://api.example', 'p:3128'],
    [{ HTTPS_PROXY: 'http://a:1', https_proxy: 'http://b:2' }, 'https://api.example', 'a:1'],
    [{ HTTPS_PROXY: '' }, 'https://api.example', undefined],
    [{ HTTPS_PROXY: 'http://p:3128' }, 'https://127.0.0.1:6443', undefined],
    [{ HTTPS_PROXY: 'http://p:3128' }, 'https://localhost:6443', undefined],
    [{ HTTPS_PROXY: 'http://p:3128' }, 'https://[::1]:6443', undefined],
  ])('%j for %s is %s', (env, server, proxy) => {
    expect(proxyFor(server, env)).toBe(proxy);
  });

  it.each([
    ['*', 'https://api.example', true],
    ['api.example', 'https://api.example', true],
    ['API.Example', 'https://api.example', true],
    ['example', 'https://api.example', true],
    ['.example', 'https://api.example', true],
    ['*.example', 'https://api.example', true],
    ['.example', 'https://example', false],
    ['example', 'https://example', true],
    ['pi.example', 'https://api.example', false],
    ['other, example', 'https://api.example', true],
    ['api.example:6443', 'https://api.example:6443', true],
    ['api.example:443', 'https://api.example', true],
    ['api.example:6443', 'https://api.example', false],
    ['10.0.0.1', 'https://10.0.0.1', true],
    ['10.0.0.1', 'https://10.0.0.11', false],
    ['10.0.0.0/8', 'https://10.96.0.1', true],
    ['10.0.0.0/8', 'https://11.0.0.1', false],
    ['10.0.0.0/99', 'https://10.0.0.1', false],
    ['fd00::/8', 'https://[fd00::1]:6443', true],
    ['[fd00::1]:6443', 'https://[fd00::1]:6443', true],
    ['fe80::5:1', 'https://[fe80::5:1]:6443', true],
    ['', 'https://api.example', false],
  ])('NO_PROXY=%s for %s: %s', (NO_PROXY, server, isExcluded) => {
    expect(proxyFor(server, { HTTPS_PROXY: 'http://p:3128', no_proxy: NO_PROXY }) === undefined).toBe(isExcluded);
  });
});

describe('parseProxy', () => {
  it('refuses unsupported proxies with a reason', () => {
    expect(() => parseProxy('socks5://p:1080', 'proxy-url of cluster c')).toThrow(
      new CredentialsError(
        'proxy-url of cluster c: proxies of type socks5 are not supported; give an http:// or https:// proxy',
      ),
    );
    expect(() => parseProxy('://', 'HTTPS_PROXY')).toThrow('HTTPS_PROXY: "://" is not a URL');
  });
});
