# The StatefulSet, and the Pods it should have.
($snapshots[0].statefulset[0] // {}) as $sts
| ($sts.state // "" | if . == "" then {} else fromjson? // {} end) as $state
| {
    STS_UID: ($sts.uid // ""),
    RESOURCE_VERSION: ($sts.resourceVersion // ""),
    REPLICAS: ($sts.replicas // 0),
    ANNOTATED: (if $sts.annotated then "yes" else "no" end),
    PAUSED: (if $sts.paused then "yes" else "no" end),
    ROLLING: (if $sts.rolling then "yes" else "no" end),
    POD_DOMAIN: (if $settings.domain != "" then $settings.domain else "\($sts.service).\($settings.namespace).svc" end),
    PODS: ([range($sts.replicas // 0) | "\($settings.statefulset)-\(.)"] | join(" ")),
    OLD_STATE: ($sts.state // ""),
    OLD_TOLD: ($state.told // ""),
    OLD_NEWS: ($state.news // [] | tojson),
    OLD_UNHEALTHY: ($state.unhealthy // {} | tojson),
    RECORD: ($state.repair // null | if . == null then "" else tojson end),
    MARKER_STATE: ($snapshots[0].marker[0].state // "")
  }
| to_entries[] | "\(.key)=\(.value | tostring | @sh)"
