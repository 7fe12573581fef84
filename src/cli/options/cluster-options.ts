import { number, text } from './spec.ts';
import { fieldManager, requestsASecond } from './values.ts';

/** The options of the connection to the API server. */
export const clusterOptions = {
  kubeContext: text('--kube-context <name>', ['HOOKLET_KUBE_CONTEXT', 'KUBE_CONTEXT'], '', 'context of the kubeconfig'),
  kubeConfig: text(
    '--kube-config <file>',
    ['HOOKLET_KUBE_CONFIG', 'KUBE_CONFIG'],
    '',
    'kubeconfig file; else KUBECONFIG, ~/.kube/config, then the account of the pod',
  ),
  kubeClientQps: {
    ...number(
      '--kube-client-qps <n>',
      ['HOOKLET_KUBE_CLIENT_QPS', 'KUBE_CLIENT_QPS'],
      0,
      'limit of requests a second; 0 or less leaves the limit to the API server',
    ),
    parse: requestsASecond,
  },
  kubeClientBurst: number(
    '--kube-client-burst <n>',
    ['HOOKLET_KUBE_CLIENT_BURST', 'KUBE_CLIENT_BURST'],
    10,
    'requests above the limit at once',
  ),
  fieldManager: {
    ...text(
      '--field-manager <name>',
      ['HOOKLET_FIELD_MANAGER'],
      '',
      'field manager of what hooks write; else hooklet, or shell-operator when the program was called so',
    ),
    parse: fieldManager,
  },
} as const;
