import { expect, it } from 'vitest';
import {
  isAlreadyExists,
  isAnotherObject,
  isConflict,
  isForbidden,
  isLost,
  isMissing,
  isUnknownResource,
  isVersionRequired,
} from '../../src/kube/api-error.ts';
import { refusal } from '../support/kube-conversation.ts';

const CLAIMS = {
  isAlreadyExists,
  isAnotherObject,
  isConflict,
  isForbidden,
  isLost,
  isMissing,
  isUnknownResource,
  isVersionRequired,
};

it.each([
  { error: refusal(404, 'NotFound', 'GET /x: 404 pods "x" not found'), claims: ['isMissing'] },
  {
    error: refusal(404, 'NotFound', 'the server could not find the requested resource'),
    claims: ['isUnknownResource'],
  },
  { error: refusal(404, '', 'GET /x: 404 404 page not found'), claims: ['isUnknownResource'] },
  { error: refusal(403, 'Forbidden', 'pods is forbidden'), claims: ['isForbidden'] },
  { error: refusal(409, 'AlreadyExists', 'pods "x" already exists'), claims: ['isAlreadyExists'] },
  { error: refusal(409, 'Conflict', 'the object has been modified'), claims: ['isConflict'] },
  {
    error: refusal(409, 'Conflict', 'the UID in the precondition (a) does not match the UID in record (b)'),
    claims: ['isAnotherObject', 'isConflict'],
  },
  {
    error: refusal(409, 'Conflict', 'Precondition failed: UID in precondition: a, UID in object meta: b'),
    claims: ['isAnotherObject', 'isConflict'],
  },
  { error: refusal(422, 'Invalid', 'metadata.resourceVersion: Invalid value: 0x0'), claims: ['isVersionRequired'] },
  { error: refusal(422, 'Invalid', 'spec.replicas: Invalid value'), claims: [] },
  { error: refusal(500, 'InternalError', 'etcd'), claims: ['isLost'] },
  { error: refusal(0, 'ECONNRESET', 'no answer'), claims: ['isLost'] },
  { error: new Error('404'), claims: [] },
])('$error.message is $claims', ({ error, claims }) => {
  const held = Object.entries(CLAIMS).flatMap(([name, holds]) => (holds(error) ? [name] : []));

  expect(held).toEqual(claims);
});
