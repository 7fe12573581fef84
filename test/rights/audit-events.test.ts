import { describe, expect, it } from 'vitest';
import { AuditEvents } from '../../src/rights/audit-events.ts';
import type { Need } from '../../src/rights/need.ts';
import { rulesOf } from '../../src/rights/rules.ts';
import { seenNeeds, unseen } from '../../src/rights/seen-needs.ts';

const USER = 'system:serviceaccount:shop:guard';
const hooklet = { type: 'hooklet' } as const;

function line(verb: string, reference: object, fields: object = {}): string {
  return JSON.stringify({
    stage: 'ResponseComplete',
    verb,
    user: { username: USER },
    objectRef: { resource: 'pods', namespace: 'shop', ...reference },
    responseStatus: { code: 200 },
    ...fields,
  });
}

function eventsOf(...lines: readonly string[]): AuditEvents {
  const events = new AuditEvents((user) => (user === USER ? hooklet : undefined));
  for (const one of lines) events.line(one);
  return events;
}

function rightsIn(events: AuditEvents): readonly string[] {
  return events
    .needs()
    .map(({ verb, resource, namespace, name, reason }) =>
      [verb, resource, `@${namespace}`, ...(name === undefined ? [] : [name]), reason].join(' '),
    );
}

describe('an audit log', () => {
  it('shows exactly the verbs that were used: none is widened', () => {
    const events = eventsOf(
      line('watch', {}),
      line('update', { name: 'a' }),
      line('get', { subresource: 'log', name: 'a' }),
    );

    expect(rightsIn(events)).toEqual([
      'watch pods @shop asked once in the audit log',
      'update pods @shop a asked once in the audit log',
      'get pods/log @shop a asked once in the audit log',
    ]);
  });

  it('counts a request once, a watch when it starts, and no line that is broken', () => {
    const events = eventsOf(
      line('get', {}, { stage: 'RequestReceived' }),
      line('get', {}),
      line('watch', {}, { stage: 'ResponseStarted' }),
      '{"verb":',
      '[]',
      '',
    );

    expect(events.summary()).toMatchObject({ lines: 5, broken: 2, requests: 2 });
  });

  it('skips and counts other users, and takes as user whom the request was authorized as', () => {
    const other = { user: { username: 'admin' } };
    const events = eventsOf(
      line('get', {}, other),
      line('get', {}, other),
      line('get', {}, { user: { username: 'bob' } }),
      line('get', {}, { ...other, impersonatedUser: { username: USER } }),
    );

    expect(events.summary()).toMatchObject({ foreign: 3, foreignUsers: ['admin', 'bob'], requests: 1 });
  });

  it('needs create where a patch has created, and no name for it', () => {
    const applied = line('patch', { name: 'a' }, { responseStatus: { code: 201 } });

    expect(rightsIn(eventsOf(applied))).toEqual([
      'patch pods @shop a asked once in the audit log',
      'create pods @shop asked once in the audit log',
    ]);
  });

  it('counts what RBAC refused and dry runs as needed, and says so', () => {
    const events = eventsOf(
      line('patch', {}, { requestURI: '/api/v1/namespaces/shop/pods/a?dryRun=All&fieldManager=x' }),
      line('patch', {}, { annotations: { 'authorization.k8s.io/decision': 'forbid' }, responseStatus: { code: 403 } }),
      line('patch', {}, { annotations: { 'authorization.k8s.io/decision': 'allow' }, responseStatus: { code: 403 } }),
      line('get', {}, { objectRef: undefined }),
    );

    expect(rightsIn(events)).toEqual(['patch pods @shop asked 3 times (refused once, dry run once) in the audit log']);
    expect(events.summary()).toMatchObject({ withoutObject: 1 });
  });

  it('of many objects and namespaces takes a bounded room', () => {
    const events = eventsOf();
    for (let index = 0; index < 3000; index += 1) {
      events.line(line('get', { name: `pod-${index}`, namespace: `n-${index % 300}` }));
      events.line(line('get', { name: `pod-${index}`, namespace: 'one' }));
    }

    expect(events.needs().length).toBeLessThan(200 * 11 + 60);
    expect(events.needs().map(({ namespace }) => namespace)).toContain('');
  });
});

describe('what was seen', () => {
  const known: readonly Need[] = [
    { verb: 'update', group: 'x', resource: 'leases', namespace: 'shop', name: 'l', of: hooklet, reason: 'lead' },
    { verb: 'list', group: '', resource: 'pods', namespace: '', of: { type: 'hook', hook: 'a' }, reason: 'follow' },
    { verb: 'get', group: '', resource: 'pods', namespace: '', of: hooklet, reason: 'rare' },
  ];

  it('keeps the names and namespaces of a known right, and has none where it is not known', () => {
    const events = eventsOf(
      line('update', { apiGroup: 'x', resource: 'leases', name: 'l' }),
      line('list', {}),
      line('delete', { name: 'pod-17' }),
    );

    const seen = seenNeeds(events.needs(), known);

    expect(rulesOf(seen)).toMatchObject([
      { namespace: '', resource: 'pods', verbs: ['list'], names: [] },
      { namespace: 'shop', resource: 'pods', verbs: ['delete'], names: [] },
      { namespace: 'shop', resource: 'leases', verbs: ['update'], names: ['l'] },
    ]);
    expect(unseen(events.needs(), known)).toEqual([known[2]]);
  });
});
