/**
 * The messages of the groups for networks, storage, nodes and scheduling. `field.ts` documents the format of a line.
 */
export const INFRASTRUCTURE = `
# coordination/v1
Lease metadata=1meta/v1.ObjectMeta spec=2LeaseSpec
LeaseSpec holderIdentity=1? leaseDurationSeconds=2?int32 acquireTime=3?microtime renewTime=4?microtime leaseTransitions=5?int32 strategy=6? preferredHolder=7?
# discovery/v1
Endpoint addresses=1!* conditions=2EndpointConditions hostname=3? targetRef=4?core/v1.ObjectReference deprecatedTopology=5% nodeName=6? zone=7? hints=8?EndpointHints
EndpointConditions ready=1?bool serving=2?bool terminating=3?bool
EndpointHints forZones=1*ForZone forNodes=2*ForNode
EndpointPort name=1? protocol=2? port=3?int32 appProtocol=4?
EndpointSlice metadata=1meta/v1.ObjectMeta endpoints=2!*Endpoint ports=3+*EndpointPort addressType=4!
ForNode name=1!
ForZone name=1!
# events/v1
Event metadata=1+meta/v1.ObjectMeta eventTime=2!microtime series=3?EventSeries reportingController=4 reportingInstance=5 action=6 reason=7 regarding=8core/v1.ObjectReference related=9?core/v1.ObjectReference note=10 type=11 deprecatedSource=12core/v1.EventSource deprecatedFirstTimestamp=13time deprecatedLastTimestamp=14time deprecatedCount=15int32
EventSeries count=1!int32 lastObservedTime=2!microtime
# networking/v1
HTTPIngressPath path=1 backend=2!IngressBackend pathType=3!?
HTTPIngressRuleValue paths=1!*HTTPIngressPath
IPAddress metadata=1meta/v1.ObjectMeta spec=2IPAddressSpec
IPAddressSpec parentRef=1&?ParentReference
IPBlock cidr=1! except=2*
Ingress metadata=1meta/v1.ObjectMeta spec=2IngressSpec status=3IngressStatus
IngressBackend resource=3?core/v1.TypedLocalObjectReference service=4?IngressServiceBackend
IngressClass metadata=1meta/v1.ObjectMeta spec=2IngressClassSpec
IngressClassParametersReference apiGroup=1? kind=2! name=3! scope=4+? namespace=5?
IngressClassSpec controller=1 parameters=2?IngressClassParametersReference
IngressLoadBalancerIngress ip=1 hostname=2 ports=4*IngressPortStatus
IngressLoadBalancerStatus ingress=1*IngressLoadBalancerIngress
IngressPortStatus port=1!int32 protocol=2! error=3?
IngressRule host=1 =2IngressRuleValue
IngressRuleValue http=1?HTTPIngressRuleValue
IngressServiceBackend name=1! port=2ServiceBackendPort
IngressSpec defaultBackend=1?IngressBackend tls=2*IngressTLS rules=3*IngressRule ingressClassName=4?
IngressStatus loadBalancer=1IngressLoadBalancerStatus
IngressTLS hosts=1* secretName=2
NetworkPolicy metadata=1meta/v1.ObjectMeta spec=2NetworkPolicySpec
NetworkPolicyEgressRule ports=1*NetworkPolicyPort to=2*NetworkPolicyPeer
NetworkPolicyIngressRule ports=1*NetworkPolicyPort from=2*NetworkPolicyPeer
NetworkPolicyPeer podSelector=1?meta/v1.LabelSelector namespaceSelector=2?meta/v1.LabelSelector ipBlock=3?IPBlock
NetworkPolicyPort protocol=1? port=2?intOrString endPort=3?int32
NetworkPolicySpec podSelector=1+meta/v1.LabelSelector ingress=2*NetworkPolicyIngressRule egress=3*NetworkPolicyEgressRule policyTypes=4*
ParentReference group=1 resource=2& namespace=3 name=4&
ServiceBackendPort name=1 number=2int32
ServiceCIDR metadata=1meta/v1.ObjectMeta spec=2ServiceCIDRSpec status=3ServiceCIDRStatus
ServiceCIDRSpec cidrs=1*
ServiceCIDRStatus conditions=1*meta/v1.Condition~merge:type
# node/v1
Overhead podFixed=1%quantity
RuntimeClass metadata=1meta/v1.ObjectMeta handler=2! overhead=3?Overhead scheduling=4?Scheduling
Scheduling nodeSelector=1% tolerations=2*core/v1.Toleration
# resource/v1
AllocatedDeviceStatus driver=1! pool=2! device=3! conditions=4+*meta/v1.Condition data=5?raw networkData=6?NetworkDeviceData shareID=7?
AllocationResult devices=1DeviceAllocationResult nodeSelector=3?core/v1.NodeSelector allocationTimestamp=5?time
CELDeviceSelector expression=1!
CapacityRequestPolicy default=1+?quantity validValues=3*quantity validRange=4?CapacityRequestPolicyRange
CapacityRequestPolicyRange min=1&?quantity max=2?quantity step=3?quantity
CapacityRequirements requests=1%quantity
Counter value=1!quantity
CounterSet name=1! counters=2&%Counter
Device name=1! attributes=2%DeviceAttribute capacity=3%DeviceCapacity consumesCounters=4*DeviceCounterConsumption nodeName=5? nodeSelector=6?core/v1.NodeSelector allNodes=7?bool taints=8*DeviceTaint bindsToNode=9?bool bindingConditions=10* bindingFailureConditions=11* allowMultipleAllocations=12?bool
DeviceAllocationConfiguration source=1! requests=2* =3DeviceConfiguration
DeviceAllocationResult results=1*DeviceRequestAllocationResult config=2*DeviceAllocationConfiguration
DeviceAttribute int=2?int64 bool=3?bool string=4? version=5?
DeviceCapacity value=1!quantity requestPolicy=2?CapacityRequestPolicy
DeviceClaim requests=1+*DeviceRequest constraints=2*DeviceConstraint config=3*DeviceClaimConfiguration
DeviceClaimConfiguration requests=1* =2DeviceConfiguration
DeviceClass metadata=1meta/v1.ObjectMeta spec=2!DeviceClassSpec
DeviceClassConfiguration =1DeviceConfiguration
DeviceClassSpec selectors=1*DeviceSelector config=2*DeviceClassConfiguration extendedResourceName=4?
DeviceConfiguration opaque=1?OpaqueDeviceConfiguration
DeviceConstraint requests=1* matchAttribute=2? distinctAttribute=3?
DeviceCounterConsumption counterSet=1! counters=2&%Counter
DeviceRequest name=1! exactly=2?ExactDeviceRequest firstAvailable=3*DeviceSubRequest
DeviceRequestAllocationResult request=1! driver=2! pool=3! device=4! adminAccess=5?bool tolerations=6*DeviceToleration bindingConditions=7* bindingFailureConditions=8* shareID=9? consumedCapacity=10%quantity
DeviceSelector cel=1?CELDeviceSelector
DeviceSubRequest name=1! deviceClassName=2! selectors=3*DeviceSelector allocationMode=4 count=5int64 tolerations=6*DeviceToleration capacity=7?CapacityRequirements
DeviceTaint key=1! value=2 effect=3! timeAdded=4?time
DeviceToleration key=1 operator=2 value=3 effect=4 tolerationSeconds=5?int64
ExactDeviceRequest deviceClassName=1! selectors=2*DeviceSelector allocationMode=3 count=4int64 adminAccess=5?bool tolerations=6*DeviceToleration capacity=7?CapacityRequirements
NetworkDeviceData interfaceName=1 ips=2* hardwareAddress=3
OpaqueDeviceConfiguration driver=1! parameters=2!raw
ResourceClaim metadata=1meta/v1.ObjectMeta spec=2!ResourceClaimSpec status=3ResourceClaimStatus
ResourceClaimConsumerReference apiGroup=1 resource=3! name=4! uid=5!
ResourceClaimSpec devices=1+DeviceClaim
ResourceClaimStatus allocation=1?AllocationResult reservedFor=2*ResourceClaimConsumerReference~merge:uid devices=4*AllocatedDeviceStatus
ResourceClaimTemplate metadata=1meta/v1.ObjectMeta spec=2!ResourceClaimTemplateSpec
ResourceClaimTemplateSpec metadata=1meta/v1.ObjectMeta spec=2!ResourceClaimSpec
ResourcePool name=1! generation=2!int64 resourceSliceCount=3!int64
ResourceSlice metadata=1meta/v1.ObjectMeta spec=2!ResourceSliceSpec
ResourceSliceSpec driver=1! pool=2!ResourcePool nodeName=3? nodeSelector=4?core/v1.NodeSelector allNodes=5?bool devices=6*Device perDeviceNodeSelection=7?bool sharedCounters=8*CounterSet
# scheduling/v1
PriorityClass metadata=1meta/v1.ObjectMeta value=2!int32 globalDefault=3bool description=4 preemptionPolicy=5?
# storage/v1
CSIDriver metadata=1meta/v1.ObjectMeta spec=2!CSIDriverSpec
CSIDriverSpec attachRequired=1?bool podInfoOnMount=2?bool volumeLifecycleModes=3* storageCapacity=4?bool fsGroupPolicy=5? tokenRequests=6*TokenRequest requiresRepublish=7?bool seLinuxMount=8?bool nodeAllocatableUpdatePeriodSeconds=9?int64 serviceAccountTokenInSecrets=10?bool
CSINode metadata=1meta/v1.ObjectMeta spec=2!CSINodeSpec
CSINodeDriver name=1! nodeID=2! topologyKeys=3+* allocatable=4?VolumeNodeResources
CSINodeSpec drivers=1!*CSINodeDriver~merge:name
CSIStorageCapacity metadata=1meta/v1.ObjectMeta nodeTopology=2?meta/v1.LabelSelector storageClassName=3! capacity=4?quantity maximumVolumeSize=5?quantity
StorageClass metadata=1meta/v1.ObjectMeta provisioner=2! parameters=3% reclaimPolicy=4? mountOptions=5* allowVolumeExpansion=6?bool volumeBindingMode=7? allowedTopologies=8*core/v1.TopologySelectorTerm
TokenRequest audience=1! expirationSeconds=2?int64
VolumeAttachment metadata=1meta/v1.ObjectMeta spec=2!VolumeAttachmentSpec status=3VolumeAttachmentStatus
VolumeAttachmentSource persistentVolumeName=1? inlineVolumeSpec=2?core/v1.PersistentVolumeSpec
VolumeAttachmentSpec attacher=1! source=2!VolumeAttachmentSource nodeName=3!
VolumeAttachmentStatus attached=1!bool attachmentMetadata=2% attachError=3?VolumeError detachError=4?VolumeError
VolumeAttributesClass metadata=1meta/v1.ObjectMeta driverName=2! parameters=3%
VolumeError time=1time message=2 errorCode=3?int32
VolumeNodeResources count=1?int32
`;
