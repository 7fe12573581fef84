import { describe, expect, it } from 'vitest';
import { FAULTS_PATH } from '../src/fault-control.ts';
import { asking, sandboxForTest } from './support/sandbox.ts';

describe('faults by HTTP', () => {
  it('are added, listed and cleared', async () => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);
    const fault = { type: 'status', code: 500, path: '/version' };

    expect((await ask('POST', FAULTS_PATH, [fault])).status).toBe(201);
    expect(JSON.parse((await ask('GET', FAULTS_PATH)).text)).toEqual([fault]);
    expect((await ask('GET', '/version')).status).toBe(500);

    await ask('DELETE', FAULTS_PATH);
    expect((await ask('GET', '/version')).status).toBe(200);
  });

  it('never strike their own door', async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ type: 'hangUp' });

    expect((await asking(sandbox)('DELETE', FAULTS_PATH)).status).toBe(200);
  });

  it('are for those who have the token', async () => {
    const sandbox = await sandboxForTest();

    expect((await fetch(sandbox.url + FAULTS_PATH, { method: 'DELETE' })).status).toBe(401);
  });

  it.each(['{bad', '{"type":"earthquake"}', '3'])('%s is refused', async (body) => {
    expect((await asking(await sandboxForTest())('POST', FAULTS_PATH, body)).status).toBe(400);
  });
});
