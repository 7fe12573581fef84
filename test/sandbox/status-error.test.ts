import { describe, expect, it } from 'vitest';
import { Kinds } from '../../src/sandbox/kinds.ts';
import type { ServedKind } from '../../src/sandbox/kind.ts';
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
} from '../../src/sandbox/status-error.ts';

function deployments(): ServedKind {
  const kind = new Kinds().find('apps', 'v1', 'deployments');
  if (kind === undefined) throw new Error('no deployments');
  return kind;
}

const details = { name: 'd', group: 'apps', kind: 'deployments' };

describe('refusals', () => {
  it.each([
    [notFound(deployments(), 'd'), 404, 'NotFound', 'deployments.apps "d" not found', details],
    [alreadyExists(deployments(), 'd'), 409, 'AlreadyExists', 'deployments.apps "d" already exists', details],
    [
      modifiedMeanwhile(deployments(), 'd'),
      409,
      'Conflict',
      'Operation cannot be fulfilled on deployments.apps "d": the object has been modified; please apply your changes to the latest version and try again',
      details,
    ],
    [forbidden(deployments(), 'd', 'why'), 403, 'Forbidden', 'deployments.apps "d" is forbidden: why', details],
    [noSuchResource(), 404, 'NotFound', 'the server could not find the requested resource', {}],
    [
      methodNotAllowed(),
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
      {},
    ],
    [badRequest('why'), 400, 'BadRequest', 'why', undefined],
    [expired('why'), 410, 'Expired', 'why', undefined],
  ])('%s', (error, code, reason, message, expected) => {
    expect(error.status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(expected === undefined ? {} : { details: expected }),
      code,
    });
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
