import { expect, it } from 'vitest';
import { isLocalHost } from '../../src/lib/local-host.ts';

it.each([
  ['localhost', true],
  ['LocalHost:8080', true],
  ['127.0.0.1:8080', true],
  ['[::1]:8080', true],
  ['[::1]', true],
  ['192.168.0.7', true],
  ['dev.example:8080', true],
  [undefined, true],
  ['evil.example', false],
  ['evil.example:8080', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['localhost:80@evil.example', false],
  ['', false],
  ['dev.example.', false],
])('the host %s is ours: %s', (host, isOurs) => {
  expect(isLocalHost(host, ['dev.example'])).toBe(isOurs);
});
