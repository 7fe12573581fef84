import { Agent, request } from 'node:https';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { BenchStage } from './stage.ts';

/** What the API server answers at a path that has no JSON, such as its metrics. */
export async function apiText({ url, ca, token }: BenchStage, path: string): Promise<string> {
  const agent = new Agent({ ca });
  try {
    const sending = request(url + path, { agent, headers: { authorization: `Bearer ${token}` } }).end();
    const [response] = await once(sending, 'response');
    return await text(response);
  } finally {
    agent.destroy();
  }
}
