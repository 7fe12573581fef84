import { at, objectsAt, textAt, textsAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import { nameOf } from '../object-meta.ts';
import { age, count, labelsText, NONE, scalarOr, selectorOrNone, someOf, textOr } from './cells.ts';
import { printer, type Printer } from './printer.ts';

/** The printers of the kinds for networks. */
export const NETWORK_PRINTERS: { readonly [collection: string]: Printer } = {
  services: printer('Name, Type, Cluster-IP, External-IP, Port(s), Age, Selector+', (service, now) => [
    nameOf(service),
    textAt(service, 'spec', 'type'),
    textsAt(service, 'spec', 'clusterIPs')[0] ?? NONE,
    externalIp(service),
    servicePorts(service),
    age(service, now),
    labelsText(service, 'spec', 'selector'),
  ]),
  endpoints: printer('Name, Endpoints, Age', (object, now) => [
    nameOf(object),
    endpointsText(object),
    age(object, now),
  ]),
  'endpointslices.discovery.k8s.io': printer('Name, AddressType, Ports, Endpoints, Age', (slice, now) => [
    nameOf(slice),
    textAt(slice, 'addressType'),
    orUnset(objectsAt(slice, 'ports').map((port) => scalarOr(textOr('*', port, 'name'), port, 'port'))),
    orUnset(objectsAt(slice, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses'))),
    age(slice, now),
  ]),
  'ingresses.networking.k8s.io': printer('Name, Class, Hosts, Address, Ports, Age', (ingress, now) => [
    nameOf(ingress),
    textOr(NONE, ingress, 'spec', 'ingressClassName'),
    hostsText(objectsAt(ingress, 'spec', 'rules')),
    loadBalancer(ingress),
    objectsAt(ingress, 'spec', 'tls').length === 0 ? '80' : '80, 443',
    age(ingress, now),
  ]),
  'ingressclasses.networking.k8s.io': printer('Name, Controller, Parameters, Age', (object, now) => [
    nameOf(object),
    textAt(object, 'spec', 'controller'),
    parametersText(object),
    age(object, now),
  ]),
  'networkpolicies.networking.k8s.io': printer('Name, Pod-Selector, Age', (object, now) => [
    nameOf(object),
    selectorOrNone(object, 'spec', 'podSelector'),
    age(object, now),
  ]),
  'servicecidrs.networking.k8s.io': printer('Name, CIDRs, Age', (object, now) => [
    nameOf(object),
    textsAt(object, 'spec', 'cidrs').join(','),
    age(object, now),
  ]),
  'ipaddresses.networking.k8s.io': printer('Name, ParentRef', (object) => [nameOf(object), parentText(object)]),
};

function loadBalancer(object: JsonObject): string {
  const addresses = objectsAt(object, 'status', 'loadBalancer', 'ingress').map(
    (ingress) => textAt(ingress, 'ip') || textAt(ingress, 'hostname'),
  );
  return [...new Set(addresses)]
    .filter((address) => address !== '')
    .toSorted()
    .join(',');
}

function externalIp(service: JsonObject): string {
  const given = textsAt(service, 'spec', 'externalIPs');
  switch (textAt(service, 'spec', 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return given.length === 0 ? NONE : given.join(',');
    case 'LoadBalancer': {
      const all = [loadBalancer(service), ...given].filter((address) => address !== '');
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    case 'ExternalName':
      return textAt(service, 'spec', 'externalName');
    default:
      return '<unknown>';
  }
}

function servicePorts(service: JsonObject): string {
  const ports = objectsAt(service, 'spec', 'ports').map((port) => {
    const node = count(port, 'nodePort');
    return `${count(port, 'port')}${node > 0 ? `:${node}` : ''}/${textAt(port, 'protocol')}`;
  });
  return ports.length === 0 ? NONE : ports.join(',');
}

function endpointsText(object: JsonObject): string {
  const all = objectsAt(object, 'subsets').flatMap((subset) => {
    const addresses = objectsAt(subset, 'addresses').map((address) => textAt(address, 'ip'));
    const ports = objectsAt(subset, 'ports').map((port) => count(port, 'port'));
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((ip) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)));
  });
  return all.length === 0 && objectsAt(object, 'subsets').length === 0 ? NONE : someOf(all, 3);
}

function orUnset(list: readonly string[]): string {
  return list.length === 0 ? '<unset>' : someOf(list, 3);
}

function hostsText(rules: readonly JsonObject[]): string {
  const hosts = rules.map((rule) => textAt(rule, 'host')).filter((host) => host !== '');
  if (hosts.length === 0) return '*';
  const more = rules.length > 3 && hosts.length >= 3;
  return more ? `${hosts.slice(0, 3).join(',')} + ${rules.length - 3} more...` : hosts.join(',');
}

function parametersText(object: JsonObject): string {
  const parameters = at(object, 'spec', 'parameters');
  if (parameters === undefined) return NONE;
  const group = textAt(parameters, 'apiGroup');
  return `${textAt(parameters, 'kind')}${group === '' ? '' : `.${group}`}/${textAt(parameters, 'name')}`;
}

function parentText(object: JsonObject): string {
  const parent = at(object, 'spec', 'parentRef');
  if (parent === undefined) return NONE;
  const [group, namespace] = [textAt(parent, 'group'), textAt(parent, 'namespace')];
  const resource = `${textAt(parent, 'resource')}${group === '' ? '' : `.${group}`}`.toLowerCase();
  return [resource, ...(namespace === '' ? [] : [namespace]), textAt(parent, 'name')].join('/');
}
