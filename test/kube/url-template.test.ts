import { expect, it } from 'vitest';

import { urlTemplate } from '../../src/kube/url-template.ts';

it.each([
  ['/api/v1/pods', '/api/v1/pods'],
  ['/api/v1/namespaces', '/api/v1/namespaces'],
  ['/api/v1/namespaces/a', '/api/v1/namespaces/{name}'],
  ['/api/v1/namespaces/a/status', '/api/v1/namespaces/{name}/status'],
  ['/api/v1/namespaces/a/finalize', '/api/v1/namespaces/{name}/finalize'],
  ['/api/v1/namespaces/a/pods', '/api/v1/namespaces/{namespace}/pods'],
  ['/api/v1/namespaces/a/pods/b', '/api/v1/namespaces/{namespace}/pods/{name}'],
  ['/api/v1/namespaces/a/pods/b/log', '/api/v1/namespaces/{namespace}/pods/{name}/log'],
  ['/apis/apps/v1/deployments', '/apis/apps/v1/deployments'],
  ['/apis/apps/v1/namespaces/a/deployments/b/scale', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale'],
  ['/api', '/api'],
  ['/apis/apps/v1', '/apis/apps/v1'],
  ['/version', '/version'],
])('%s is counted as %s', (path, template) => {
  expect(urlTemplate(path)).toBe(template);
});
