import { describe, expect, it } from 'vitest';
import { Kinds } from '../src/kinds.ts';
import type { ServedKind } from '../src/kind.ts';
import {
  alreadyExists,
  badRequest,
  expired,
  forbidden,
  invalid,
  invalidValue,
  methodNotAllowed,
  modifiedMeanwhile,
  noSuchResource,
  notFound,
  requiredValue,
  StatusError,
} from '../src/status-error.ts';

function deployments(): ServedKind {
  const kind = new Kinds().find('apps', 'v1', 'deployments');
  if (kind === undefined) throw new Error('no deployments');
  return kind;
}

const details = { name: 'd', group: 'apps', kind: 'deployments' };

describe('refusals', () => {
  it.each([
    {
      error: notFound(deployments(), 'd'),
      code: 404,
      reason: 'NotFound',
      message: 'deployments.apps "d" not found',
      details,
    },
    {
      error: alreadyExists(deployments(), 'd'),
      code: 409,
      reason: 'AlreadyExists',
      message: 'deployments.apps "d" already exists',
      details,
    },
    {
      error: modifiedMeanwhile(deployments(), 'd'),
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on deployments.apps "d": the object has been modified; please apply your changes to the latest version and try again',
      details,
    },
    {
      error: forbidden(deployments(), 'd', 'why'),
      code: 403,
      reason: 'Forbidden',
      message: 'deployments.apps "d" is forbidden: why',
      details,
    },
    {
      error: noSuchResource(),
      code: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
      details: {},
    },
    {
      error: methodNotAllowed(),
      code: 405,
      reason: 'MethodNotAllowed',
      message: 'the server does not allow this method on the requested resource',
      details: {},
    },
    { error: badRequest('why'), code: 400, reason: 'BadRequest', message: 'why' },
    { error: expired('why'), code: 410, reason: 'Expired', message: 'why' },
  ])('$code $reason is a Status', ({ error, ...fields }) => {
    expect(error.status).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...fields });
  });

  it('several causes are listed in brackets, and each is in the details', () => {
    const error = invalid(deployments(), 'd', [requiredValue('spec.a'), invalidValue('spec.b', 1, 'why')]);

    expect(error.message).toBe(
      'Deployment.apps "d" is invalid: [spec.a: Required value, spec.b: Invalid value: 1: why]',
    );
    expect(error.status['details']).toEqual({
      name: 'd',
      group: 'apps',
      kind: 'Deployment',
      causes: [
        { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.a' },
        { reason: 'FieldValueInvalid', message: 'Invalid value: 1: why', field: 'spec.b' },
      ],
    });
  });

  it('a time to wait is in the details', () => {
    const error = new StatusError({ code: 429, message: 'slow down', retryAfterSeconds: 3 });

    expect(error.status['details']).toEqual({ retryAfterSeconds: 3 });
  });
});
