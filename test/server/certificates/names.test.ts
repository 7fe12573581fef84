import { describe, expect, it } from 'vitest';
import { certificateNames } from '../../../src/server/certificates/names.ts';

describe('names of the certificate', () => {
  it('are all forms of a service, and hosts', () => {
    const services = [{ namespace: 'b', name: 'a' }];
    const hosts = ['Hooks.Example.com', '[::1]', '10.0.0.7', 'not a name', '', '-x', 'a'];

    expect(certificateNames({ services, hosts })).toEqual([
      'a.b.svc',
      'a.b.svc.cluster.local',
      'a.b',
      'a',
      'hooks.example.com',
      '::1',
      '10.0.0.7',
    ]);
  });

  it('are at most 50', () => {
    const hosts = Array.from({ length: 60 }, (_, index) => `host-${index}`);

    expect(certificateNames({ services: [], hosts })).toHaveLength(50);
  });
});
