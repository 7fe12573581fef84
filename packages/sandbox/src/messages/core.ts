/** The messages of the core group. `field.ts` documents the format of a line. */
export const CORE = `
# core/v1
AWSElasticBlockStoreVolumeSource volumeID=1! fsType=2 partition=3int32 readOnly=4bool
Affinity nodeAffinity=1?NodeAffinity podAffinity=2?PodAffinity podAntiAffinity=3?PodAntiAffinity
AppArmorProfile type=1! localhostProfile=2?
AttachedVolume name=1! devicePath=2!
AzureDiskVolumeSource diskName=1! diskURI=2! cachingMode=3? fsType=4? readOnly=5?bool kind=6?
AzureFilePersistentVolumeSource secretName=1! shareName=2! readOnly=3bool secretNamespace=4+?
AzureFileVolumeSource secretName=1! shareName=2! readOnly=3bool
Binding metadata=1meta/v1.ObjectMeta target=2!ObjectReference
CSIPersistentVolumeSource driver=1! volumeHandle=2! readOnly=3bool fsType=4 volumeAttributes=5% controllerPublishSecretRef=6?SecretReference nodeStageSecretRef=7?SecretReference nodePublishSecretRef=8?SecretReference controllerExpandSecretRef=9?SecretReference nodeExpandSecretRef=10?SecretReference
CSIVolumeSource driver=1! readOnly=2?bool fsType=3? volumeAttributes=4% nodePublishSecretRef=5?LocalObjectReference
Capabilities add=1* drop=2*
CephFSPersistentVolumeSource monitors=1!* path=2 user=3 secretFile=4 secretRef=5?SecretReference readOnly=6bool
CephFSVolumeSource monitors=1!* path=2 user=3 secretFile=4 secretRef=5?LocalObjectReference readOnly=6bool
CinderPersistentVolumeSource volumeID=1! fsType=2 readOnly=3bool secretRef=4?SecretReference
CinderVolumeSource volumeID=1! fsType=2 readOnly=3bool secretRef=4?LocalObjectReference
ClientIPConfig timeoutSeconds=1?int32
ClusterTrustBundleProjection name=1? signerName=2? labelSelector=3?meta/v1.LabelSelector path=4! optional=5?bool
ComponentCondition type=1! status=2! message=3 error=4
ComponentStatus metadata=1meta/v1.ObjectMeta conditions=2*ComponentCondition~merge:type
ConfigMap metadata=1meta/v1.ObjectMeta data=2% binaryData=3%bytes immutable=4?bool
ConfigMapEnvSource =1LocalObjectReference optional=2?bool
ConfigMapKeySelector =1LocalObjectReference key=2! optional=3?bool
ConfigMapNodeConfigSource namespace=1! name=2! uid=3 resourceVersion=4 kubeletConfigKey=5!
ConfigMapProjection =1LocalObjectReference items=2*KeyToPath optional=4?bool
ConfigMapVolumeSource =1LocalObjectReference items=2*KeyToPath defaultMode=3?int32 optional=4?bool
Container name=1! image=2 command=3* args=4* workingDir=5 ports=6*ContainerPort~merge:containerPort env=7*EnvVar~merge:name resources=8ResourceRequirements volumeMounts=9*VolumeMount~merge:mountPath livenessProbe=10?Probe readinessProbe=11?Probe lifecycle=12?Lifecycle terminationMessagePath=13 imagePullPolicy=14 securityContext=15?SecurityContext stdin=16bool stdinOnce=17bool tty=18bool envFrom=19*EnvFromSource terminationMessagePolicy=20 volumeDevices=21*VolumeDevice~merge:devicePath startupProbe=22?Probe resizePolicy=23*ContainerResizePolicy restartPolicy=24? restartPolicyRules=25*ContainerRestartRule
ContainerExtendedResourceRequest containerName=1! resourceName=2! requestName=3!
ContainerImage names=1+* sizeBytes=2int64
ContainerPort name=1 hostPort=2int32 containerPort=3!int32 protocol=4 hostIP=5
ContainerResizePolicy resourceName=1! restartPolicy=2!
ContainerRestartRule action=1& exitCodes=2?ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator=1& values=2*int32
ContainerState waiting=1?ContainerStateWaiting running=2?ContainerStateRunning terminated=3?ContainerStateTerminated
ContainerStateRunning startedAt=1time
ContainerStateTerminated exitCode=1!int32 signal=2int32 reason=3 message=4 startedAt=5time finishedAt=6time containerID=7
ContainerStateWaiting reason=1 message=2
ContainerStatus name=1! state=2ContainerState lastState=3ContainerState ready=4!bool restartCount=5!int32 image=6! imageID=7! containerID=8 started=9?bool allocatedResources=10%quantity resources=11?ResourceRequirements volumeMounts=12*VolumeMountStatus~merge:mountPath user=13?ContainerUser allocatedResourcesStatus=14*ResourceStatus~merge:name stopSignal=15?
ContainerUser linux=1?LinuxContainerUser
DaemonEndpoint Port=1!int32
DownwardAPIProjection items=1*DownwardAPIVolumeFile
DownwardAPIVolumeFile path=1! fieldRef=2?ObjectFieldSelector resourceFieldRef=3?ResourceFieldSelector mode=4?int32
DownwardAPIVolumeSource items=1*DownwardAPIVolumeFile defaultMode=2?int32
EmptyDirVolumeSource medium=1 sizeLimit=2?quantity
EndpointAddress ip=1! targetRef=2?ObjectReference hostname=3 nodeName=4?
EndpointPort name=1 port=2!int32 protocol=3 appProtocol=4?
EndpointSubset addresses=1*EndpointAddress notReadyAddresses=2*EndpointAddress ports=3*EndpointPort
Endpoints metadata=1meta/v1.ObjectMeta subsets=2*EndpointSubset
EnvFromSource prefix=1 configMapRef=2?ConfigMapEnvSource secretRef=3?SecretEnvSource
EnvVar name=1! value=2 valueFrom=3?EnvVarSource
EnvVarSource fieldRef=1?ObjectFieldSelector resourceFieldRef=2?ResourceFieldSelector configMapKeyRef=3?ConfigMapKeySelector secretKeyRef=4?SecretKeySelector fileKeyRef=5?FileKeySelector
EphemeralContainer =1EphemeralContainerCommon targetContainerName=2
EphemeralContainerCommon name=1! image=2 command=3* args=4* workingDir=5 ports=6*ContainerPort~merge:containerPort env=7*EnvVar~merge:name resources=8ResourceRequirements volumeMounts=9*VolumeMount~merge:mountPath livenessProbe=10?Probe readinessProbe=11?Probe lifecycle=12?Lifecycle terminationMessagePath=13 imagePullPolicy=14 securityContext=15?SecurityContext stdin=16bool stdinOnce=17bool tty=18bool envFrom=19*EnvFromSource terminationMessagePolicy=20 volumeDevices=21*VolumeDevice~merge:devicePath startupProbe=22?Probe resizePolicy=23*ContainerResizePolicy restartPolicy=24? restartPolicyRules=25*ContainerRestartRule
EphemeralVolumeSource volumeClaimTemplate=1?PersistentVolumeClaimTemplate
Event metadata=1!meta/v1.ObjectMeta involvedObject=2!ObjectReference reason=3 message=4 source=5EventSource firstTimestamp=6time lastTimestamp=7time count=8int32 type=9 eventTime=10microtime series=11?EventSeries action=12 related=13?ObjectReference reportingComponent=14+ reportingInstance=15+
EventSeries count=1int32 lastObservedTime=2microtime
EventSource component=1 host=2
ExecAction command=1*
FCVolumeSource targetWWNs=1* lun=2?int32 fsType=3 readOnly=4bool wwids=5*
FileKeySelector volumeName=1! path=2! key=3! optional=4?bool
FlexPersistentVolumeSource driver=1! fsType=2 secretRef=3?SecretReference readOnly=4bool options=5%
FlexVolumeSource driver=1! fsType=2 secretRef=3?LocalObjectReference readOnly=4bool options=5%
FlockerVolumeSource datasetName=1 datasetUUID=2
GCEPersistentDiskVolumeSource pdName=1! fsType=2 partition=3int32 readOnly=4bool
GRPCAction port=1!int32 service=2+?
GitRepoVolumeSource repository=1! revision=2 directory=3
GlusterfsPersistentVolumeSource endpoints=1! path=2! readOnly=3bool endpointsNamespace=4?
GlusterfsVolumeSource endpoints=1! path=2! readOnly=3bool
HTTPGetAction path=1 port=2!intOrString host=3 scheme=4 httpHeaders=5*HTTPHeader
HTTPHeader name=1! value=2!
HostAlias ip=1! hostnames=2*
HostIP ip=1!
HostPathVolumeSource path=1! type=2?
ISCSIPersistentVolumeSource targetPortal=1! iqn=2! lun=3!int32 iscsiInterface=4 fsType=5 readOnly=6bool portals=7* chapAuthDiscovery=8bool secretRef=10?SecretReference chapAuthSession=11bool initiatorName=12?
ISCSIVolumeSource targetPortal=1! iqn=2! lun=3!int32 iscsiInterface=4 fsType=5 readOnly=6bool portals=7* chapAuthDiscovery=8bool secretRef=10?LocalObjectReference chapAuthSession=11bool initiatorName=12?
ImageVolumeSource reference=1 pullPolicy=2
KeyToPath key=1! path=2! mode=3?int32
Lifecycle postStart=1?LifecycleHandler preStop=2?LifecycleHandler stopSignal=3?
LifecycleHandler exec=1?ExecAction httpGet=2?HTTPGetAction tcpSocket=3?TCPSocketAction sleep=4?SleepAction
LimitRange metadata=1meta/v1.ObjectMeta spec=2LimitRangeSpec
LimitRangeItem type=1! max=2%quantity min=3%quantity default=4%quantity defaultRequest=5%quantity maxLimitRequestRatio=6%quantity
LimitRangeSpec limits=1!*LimitRangeItem
LinuxContainerUser uid=1!int64 gid=2!int64 supplementalGroups=3*int64
LoadBalancerIngress ip=1 hostname=2 ipMode=3? ports=4*PortStatus
LoadBalancerStatus ingress=1*LoadBalancerIngress
LocalObjectReference name=1
LocalVolumeSource path=1! fsType=2?
ModifyVolumeStatus targetVolumeAttributesClassName=1 status=2!
NFSVolumeSource server=1! path=2! readOnly=3bool
Namespace metadata=1meta/v1.ObjectMeta spec=2NamespaceSpec status=3NamespaceStatus
NamespaceCondition type=1! status=2! lastTransitionTime=4time reason=5 message=6
NamespaceSpec finalizers=1*
NamespaceStatus phase=1 conditions=2*NamespaceCondition~merge:type
Node metadata=1meta/v1.ObjectMeta spec=2NodeSpec status=3NodeStatus
NodeAddress type=1! address=2!
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution=1?NodeSelector preferredDuringSchedulingIgnoredDuringExecution=2*PreferredSchedulingTerm
NodeCondition type=1! status=2! lastHeartbeatTime=3time lastTransitionTime=4time reason=5 message=6
NodeConfigSource configMap=2?ConfigMapNodeConfigSource
NodeConfigStatus assigned=1?NodeConfigSource active=2?NodeConfigSource lastKnownGood=3?NodeConfigSource error=4
NodeDaemonEndpoints kubeletEndpoint=1DaemonEndpoint
NodeFeatures supplementalGroupsPolicy=1?bool
NodeRuntimeHandler name=1+ features=2?NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts=1?bool userNamespaces=2?bool
NodeSelector nodeSelectorTerms=1!*NodeSelectorTerm
NodeSelectorRequirement key=1! operator=2! values=3*
NodeSelectorTerm matchExpressions=1*NodeSelectorRequirement matchFields=2*NodeSelectorRequirement
NodeSpec podCIDR=1 externalID=2 providerID=3 unschedulable=4bool taints=5*Taint configSource=6?NodeConfigSource podCIDRs=7*~merge
NodeStatus capacity=1%quantity allocatable=2%quantity phase=3 conditions=4*NodeCondition~merge:type addresses=5*NodeAddress~merge:type daemonEndpoints=6NodeDaemonEndpoints nodeInfo=7NodeSystemInfo images=8*ContainerImage volumesInUse=9* volumesAttached=10*AttachedVolume config=11?NodeConfigStatus runtimeHandlers=12*NodeRuntimeHandler features=13?NodeFeatures declaredFeatures=14*
NodeSwapStatus capacity=1?int64
NodeSystemInfo machineID=1! systemUUID=2! bootID=3! kernelVersion=4! osImage=5! containerRuntimeVersion=6! kubeletVersion=7! kubeProxyVersion=8! operatingSystem=9! architecture=10! swap=11?NodeSwapStatus
ObjectFieldSelector apiVersion=1 fieldPath=2!
ObjectReference kind=1 namespace=2 name=3 uid=4 apiVersion=5 resourceVersion=6 fieldPath=7
PersistentVolume metadata=1meta/v1.ObjectMeta spec=2PersistentVolumeSpec status=3PersistentVolumeStatus
PersistentVolumeClaim metadata=1meta/v1.ObjectMeta spec=2PersistentVolumeClaimSpec status=3PersistentVolumeClaimStatus
PersistentVolumeClaimCondition type=1! status=2! lastProbeTime=3time lastTransitionTime=4time reason=5 message=6
PersistentVolumeClaimSpec accessModes=1* resources=2VolumeResourceRequirements volumeName=3 selector=4?meta/v1.LabelSelector storageClassName=5? volumeMode=6? dataSource=7?TypedLocalObjectReference dataSourceRef=8?TypedObjectReference volumeAttributesClassName=9?
PersistentVolumeClaimStatus phase=1 accessModes=2* capacity=3%quantity conditions=4*PersistentVolumeClaimCondition~merge:type allocatedResources=5%quantity allocatedResourceStatuses=7% currentVolumeAttributesClassName=8? modifyVolumeStatus=9?ModifyVolumeStatus
PersistentVolumeClaimTemplate metadata=1meta/v1.ObjectMeta spec=2!PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource claimName=1! readOnly=2bool
PersistentVolumeSource gcePersistentDisk=1?GCEPersistentDiskVolumeSource awsElasticBlockStore=2?AWSElasticBlockStoreVolumeSource hostPath=3?HostPathVolumeSource glusterfs=4?GlusterfsPersistentVolumeSource nfs=5?NFSVolumeSource rbd=6?RBDPersistentVolumeSource iscsi=7?ISCSIPersistentVolumeSource cinder=8?CinderPersistentVolumeSource cephfs=9?CephFSPersistentVolumeSource fc=10?FCVolumeSource flocker=11?FlockerVolumeSource flexVolume=12?FlexPersistentVolumeSource azureFile=13?AzureFilePersistentVolumeSource vsphereVolume=14?VsphereVirtualDiskVolumeSource quobyte=15?QuobyteVolumeSource azureDisk=16?AzureDiskVolumeSource photonPersistentDisk=17?PhotonPersistentDiskVolumeSource portworxVolume=18?PortworxVolumeSource scaleIO=19?ScaleIOPersistentVolumeSource local=20?LocalVolumeSource storageos=21?StorageOSPersistentVolumeSource csi=22?CSIPersistentVolumeSource
PersistentVolumeSpec capacity=1%quantity =2PersistentVolumeSource accessModes=3* claimRef=4?ObjectReference persistentVolumeReclaimPolicy=5 storageClassName=6 mountOptions=7* volumeMode=8? nodeAffinity=9?VolumeNodeAffinity volumeAttributesClassName=10?
PersistentVolumeStatus phase=1 message=2 reason=3 lastPhaseTransitionTime=4?time
PhotonPersistentDiskVolumeSource pdID=1! fsType=2
Pod metadata=1meta/v1.ObjectMeta spec=2PodSpec status=3PodStatus
PodAffinity requiredDuringSchedulingIgnoredDuringExecution=1*PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution=2*WeightedPodAffinityTerm
PodAffinityTerm labelSelector=1?meta/v1.LabelSelector namespaces=2* topologyKey=3! namespaceSelector=4?meta/v1.LabelSelector matchLabelKeys=5* mismatchLabelKeys=6*
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution=1*PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution=2*WeightedPodAffinityTerm
PodCertificateProjection signerName=1& keyType=2& maxExpirationSeconds=3?int32 credentialBundlePath=4 keyPath=5 certificateChainPath=6 userAnnotations=7%
PodCondition type=1! status=2! lastProbeTime=3time lastTransitionTime=4time reason=5 message=6 observedGeneration=7int64
PodDNSConfig nameservers=1* searches=2* options=3*PodDNSConfigOption
PodDNSConfigOption name=1 value=2?
PodExtendedResourceClaimStatus requestMappings=1!*ContainerExtendedResourceRequest resourceClaimName=2!
PodIP ip=1!
PodOS name=1!
PodReadinessGate conditionType=1!
PodResourceClaim name=1! resourceClaimName=3? resourceClaimTemplateName=4?
PodResourceClaimStatus name=1! resourceClaimName=2?
PodSchedulingGate name=1!
PodSecurityContext seLinuxOptions=1?SELinuxOptions runAsUser=2?int64 runAsNonRoot=3?bool supplementalGroups=4*int64 fsGroup=5?int64 runAsGroup=6?int64 sysctls=7*Sysctl windowsOptions=8?WindowsSecurityContextOptions fsGroupChangePolicy=9? seccompProfile=10?SeccompProfile appArmorProfile=11?AppArmorProfile supplementalGroupsPolicy=12? seLinuxChangePolicy=13?
PodSpec volumes=1*Volume~merge,retainKeys:name containers=2!*Container~merge:name restartPolicy=3 terminationGracePeriodSeconds=4?int64 activeDeadlineSeconds=5?int64 dnsPolicy=6 nodeSelector=7% serviceAccountName=8 serviceAccount=9 nodeName=10 hostNetwork=11bool hostPID=12bool hostIPC=13bool securityContext=14?PodSecurityContext imagePullSecrets=15*LocalObjectReference~merge:name hostname=16 subdomain=17 affinity=18?Affinity schedulerName=19 initContainers=20*Container~merge:name automountServiceAccountToken=21?bool tolerations=22*Toleration hostAliases=23*HostAlias~merge:ip priorityClassName=24 priority=25?int32 dnsConfig=26?PodDNSConfig shareProcessNamespace=27?bool readinessGates=28*PodReadinessGate runtimeClassName=29? enableServiceLinks=30?bool preemptionPolicy=31? overhead=32%quantity topologySpreadConstraints=33*TopologySpreadConstraint~merge:topologyKey ephemeralContainers=34*EphemeralContainer~merge:name setHostnameAsFQDN=35?bool os=36?PodOS hostUsers=37?bool schedulingGates=38*PodSchedulingGate~merge:name resourceClaims=39*PodResourceClaim~merge,retainKeys:name resources=40?ResourceRequirements hostnameOverride=41? workloadRef=42?WorkloadReference
PodStatus phase=1 conditions=2*PodCondition~merge:type message=3 reason=4 hostIP=5 podIP=6 startTime=7?time containerStatuses=8*ContainerStatus qosClass=9 initContainerStatuses=10*ContainerStatus nominatedNodeName=11 podIPs=12*PodIP~merge:ip ephemeralContainerStatuses=13*ContainerStatus resize=14 resourceClaimStatuses=15*PodResourceClaimStatus~merge,retainKeys:name hostIPs=16*HostIP~merge:ip observedGeneration=17int64 extendedResourceClaimStatus=18?PodExtendedResourceClaimStatus allocatedResources=19%quantity resources=20?ResourceRequirements
PodTemplate metadata=1meta/v1.ObjectMeta template=2PodTemplateSpec
PodTemplateSpec metadata=1meta/v1.ObjectMeta spec=2PodSpec
PortStatus port=1!int32 protocol=2! error=3?
PortworxVolumeSource volumeID=1! fsType=2 readOnly=3bool
PreferredSchedulingTerm weight=1!int32 preference=2!NodeSelectorTerm
Probe =1ProbeHandler initialDelaySeconds=2int32 timeoutSeconds=3int32 periodSeconds=4int32 successThreshold=5int32 failureThreshold=6int32 terminationGracePeriodSeconds=7?int64
ProbeHandler exec=1?ExecAction httpGet=2?HTTPGetAction tcpSocket=3?TCPSocketAction grpc=4?GRPCAction
ProjectedVolumeSource sources=1+*VolumeProjection defaultMode=2?int32
QuobyteVolumeSource registry=1! volume=2! readOnly=3bool user=4 group=5 tenant=6
RBDPersistentVolumeSource monitors=1!* image=2! fsType=3 pool=4 user=5 keyring=6 secretRef=7?SecretReference readOnly=8bool
RBDVolumeSource monitors=1!* image=2! fsType=3 pool=4 user=5 keyring=6 secretRef=7?LocalObjectReference readOnly=8bool
ReplicationController metadata=1meta/v1.ObjectMeta spec=2ReplicationControllerSpec status=3ReplicationControllerStatus
ReplicationControllerCondition type=1! status=2! lastTransitionTime=3time reason=4 message=5
ReplicationControllerSpec replicas=1?int32 selector=2% template=3?PodTemplateSpec minReadySeconds=4int32
ReplicationControllerStatus replicas=1!int32 fullyLabeledReplicas=2int32 observedGeneration=3int64 readyReplicas=4int32 availableReplicas=5int32 conditions=6*ReplicationControllerCondition~merge:type
ResourceClaim name=1! request=2
ResourceFieldSelector containerName=1 resource=2! divisor=3quantity
ResourceHealth resourceID=1! health=2
ResourceQuota metadata=1meta/v1.ObjectMeta spec=2ResourceQuotaSpec status=3ResourceQuotaStatus
ResourceQuotaSpec hard=1%quantity scopes=2* scopeSelector=3?ScopeSelector
ResourceQuotaStatus hard=1%quantity used=2%quantity
ResourceRequirements limits=1%quantity requests=2%quantity claims=3*ResourceClaim
ResourceStatus name=1! resources=2*ResourceHealth
SELinuxOptions user=1 role=2 type=3 level=4
ScaleIOPersistentVolumeSource gateway=1! system=2! secretRef=3!?SecretReference sslEnabled=4bool protectionDomain=5 storagePool=6 storageMode=7 volumeName=8 fsType=9 readOnly=10bool
ScaleIOVolumeSource gateway=1! system=2! secretRef=3!?LocalObjectReference sslEnabled=4bool protectionDomain=5 storagePool=6 storageMode=7 volumeName=8 fsType=9 readOnly=10bool
ScopeSelector matchExpressions=1*ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement scopeName=1! operator=2! values=3*
SeccompProfile type=1! localhostProfile=2?
Secret metadata=1meta/v1.ObjectMeta data=2%bytes type=3 stringData=4% immutable=5?bool
SecretEnvSource =1LocalObjectReference optional=2?bool
SecretKeySelector =1LocalObjectReference key=2! optional=3?bool
SecretProjection =1LocalObjectReference items=2*KeyToPath optional=4?bool
SecretReference name=1 namespace=2
SecretVolumeSource secretName=1 items=2*KeyToPath defaultMode=3?int32 optional=4?bool
SecurityContext capabilities=1?Capabilities privileged=2?bool seLinuxOptions=3?SELinuxOptions runAsUser=4?int64 runAsNonRoot=5?bool readOnlyRootFilesystem=6?bool allowPrivilegeEscalation=7?bool runAsGroup=8?int64 procMount=9? windowsOptions=10?WindowsSecurityContextOptions seccompProfile=11?SeccompProfile appArmorProfile=12?AppArmorProfile
Service metadata=1meta/v1.ObjectMeta spec=2ServiceSpec status=3ServiceStatus
ServiceAccount metadata=1meta/v1.ObjectMeta secrets=2*ObjectReference~merge:name imagePullSecrets=3*LocalObjectReference automountServiceAccountToken=4?bool
ServiceAccountTokenProjection audience=1 expirationSeconds=2?int64 path=3!
ServicePort name=1 protocol=2 port=3!int32 targetPort=4intOrString nodePort=5int32 appProtocol=6?
ServiceSpec ports=1*ServicePort~merge:port selector=2% clusterIP=3 type=4 externalIPs=5* sessionAffinity=7 loadBalancerIP=8 loadBalancerSourceRanges=9* externalName=10 externalTrafficPolicy=11 healthCheckNodePort=12int32 publishNotReadyAddresses=13bool sessionAffinityConfig=14?SessionAffinityConfig ipFamilyPolicy=17? clusterIPs=18* ipFamilies=19* allocateLoadBalancerNodePorts=20?bool loadBalancerClass=21? internalTrafficPolicy=22? trafficDistribution=23?
ServiceStatus loadBalancer=1LoadBalancerStatus conditions=2*meta/v1.Condition~merge:type
SessionAffinityConfig clientIP=1?ClientIPConfig
SleepAction seconds=1!int64
StorageOSPersistentVolumeSource volumeName=1 volumeNamespace=2 fsType=3 readOnly=4bool secretRef=5?ObjectReference
StorageOSVolumeSource volumeName=1 volumeNamespace=2 fsType=3 readOnly=4bool secretRef=5?LocalObjectReference
Sysctl name=1! value=2!
TCPSocketAction port=1!intOrString host=2
Taint key=1! value=2 effect=3! timeAdded=4?time
Toleration key=1 operator=2 value=3 effect=4 tolerationSeconds=5?int64
TopologySelectorLabelRequirement key=1! values=2!*
TopologySelectorTerm matchLabelExpressions=1*TopologySelectorLabelRequirement
TopologySpreadConstraint maxSkew=1!int32 topologyKey=2! whenUnsatisfiable=3! labelSelector=4?meta/v1.LabelSelector minDomains=5?int32 nodeAffinityPolicy=6? nodeTaintsPolicy=7? matchLabelKeys=8*
TypedLocalObjectReference apiGroup=1+? kind=2! name=3!
TypedObjectReference apiGroup=1+? kind=2! name=3! namespace=4?
Volume name=1! =2VolumeSource
VolumeDevice name=1! devicePath=2!
VolumeMount name=1! readOnly=2bool mountPath=3! subPath=4 mountPropagation=5? subPathExpr=6 recursiveReadOnly=7?
VolumeMountStatus name=1! mountPath=2! readOnly=3bool recursiveReadOnly=4?
VolumeNodeAffinity required=1?NodeSelector
VolumeProjection secret=1?SecretProjection downwardAPI=2?DownwardAPIProjection configMap=3?ConfigMapProjection serviceAccountToken=4?ServiceAccountTokenProjection clusterTrustBundle=5?ClusterTrustBundleProjection podCertificate=6?PodCertificateProjection
VolumeResourceRequirements limits=1%quantity requests=2%quantity
VolumeSource hostPath=1?HostPathVolumeSource emptyDir=2?EmptyDirVolumeSource gcePersistentDisk=3?GCEPersistentDiskVolumeSource awsElasticBlockStore=4?AWSElasticBlockStoreVolumeSource gitRepo=5?GitRepoVolumeSource secret=6?SecretVolumeSource nfs=7?NFSVolumeSource iscsi=8?ISCSIVolumeSource glusterfs=9?GlusterfsVolumeSource persistentVolumeClaim=10?PersistentVolumeClaimVolumeSource rbd=11?RBDVolumeSource flexVolume=12?FlexVolumeSource cinder=13?CinderVolumeSource cephfs=14?CephFSVolumeSource flocker=15?FlockerVolumeSource downwardAPI=16?DownwardAPIVolumeSource fc=17?FCVolumeSource azureFile=18?AzureFileVolumeSource configMap=19?ConfigMapVolumeSource vsphereVolume=20?VsphereVirtualDiskVolumeSource quobyte=21?QuobyteVolumeSource azureDisk=22?AzureDiskVolumeSource photonPersistentDisk=23?PhotonPersistentDiskVolumeSource portworxVolume=24?PortworxVolumeSource scaleIO=25?ScaleIOVolumeSource projected=26?ProjectedVolumeSource storageos=27?StorageOSVolumeSource csi=28?CSIVolumeSource ephemeral=29?EphemeralVolumeSource image=30?ImageVolumeSource
VsphereVirtualDiskVolumeSource volumePath=1! fsType=2 storagePolicyName=3 storagePolicyID=4
WeightedPodAffinityTerm weight=1!int32 podAffinityTerm=2!PodAffinityTerm
WindowsSecurityContextOptions gmsaCredentialSpecName=1? gmsaCredentialSpec=2? runAsUserName=3? hostProcess=4?bool
WorkloadReference name=1! podGroup=2! podGroupReplicaKey=3
`;
