import { describe, expect, it } from 'vitest';
import { asking, sandboxForTest, widgetDefinition, type Ask } from './support/sandbox.ts';

const widgets = '/apis/example.com/v1/namespaces/default/widgets';

async function withWidgets(): Promise<Ask> {
  const sandbox = await sandboxForTest();
  await sandbox.apply(widgetDefinition());
  return asking(sandbox);
}

function widget(spec: object, rest: object = {}): object {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec, ...rest };
}

describe('an object of a custom kind', () => {
  it('is checked against its schema', async () => {
    expect((await (await withWidgets())('POST', widgets, widget({ color: 'green' }))).body).toMatchObject({
      code: 422,
      message:
        'Widget.example.com "w" is invalid: spec.color: Unsupported value: "green": supported values: "red", "blue"',
    });
  });

  it('is refused after a second when a pattern of its schema takes for ever, and the server lives on', async () => {
    const sandbox = await sandboxForTest();
    const definition = JSON.parse(
      JSON.stringify(widgetDefinition()).replace('"type":"string"', '"type":"string","pattern":"^(a+)+$"'),
    );
    await sandbox.apply(definition);
    const ask = asking(sandbox);

    const { body } = await ask('POST', widgets, widget({ color: `${'a'.repeat(100)}!` }));

    expect(body).toMatchObject({
      code: 500,
      message: 'Internal error occurred: the validation by the schema took longer than 1 s',
    });
    expect((await ask('GET', widgets)).status).toBe(200);
  });

  it('loses what the schema does not know, or is refused for it when that is asked for', async () => {
    const ask = await withWidgets();
    const body = widget({ color: 'red', junk: 1 }, { more: { deep: 1 } });

    expect((await ask('POST', `${widgets}?fieldValidation=Strict`, body)).body).toMatchObject({
      code: 400,
      message: expect.stringMatching(
        /strict decoding error: (?=.*unknown field "spec\.junk")(?=.*unknown field "more")/,
      ),
    });
    expect((await ask('POST', widgets, body)).body['spec']).toEqual({ color: 'red', replicas: 1 });
  });

  it('is checked again when it changes', async () => {
    const ask = await withWidgets();
    await ask('POST', widgets, widget({ color: 'red' }));

    const answer = await ask('PATCH', `${widgets}/w`, { spec: { color: 'pink' } }, 'application/merge-patch+json');

    expect(answer.status).toBe(422);
  });
});
