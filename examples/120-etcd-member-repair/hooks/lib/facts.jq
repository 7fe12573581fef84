# Everything that decisions are made of. Pods stand for members: a member belongs to the Pod whose peer URL it has.
def words: map(tostring) | join(" ");
def yes: if . then "yes" else "no" end;

$snapshots[0] as $seen
| $seen.statefulset[0] as $sts
| (if $settings.domain != "" then $settings.domain else "\($sts.service).\($settings.namespace).svc" end) as $domain
| def peer_url: "\($settings.peer)://\(.).\($domain):\($settings.peerPort)";
  def client_url: "\($settings.client)://\(.).\($domain):\($settings.clientPort)";
  ($sts.state // "" | if . == "" then {} else fromjson? // {} end) as $state
| ($state.repair // null) as $record
| [range($sts.replicas) | "\($settings.statefulset)-\(.)"] as $pods
| ($members[0].members // null) as $listed
| ($alarms[0].alarms // []) as $alarms
| [$alarms[] | select(.alarm == 2) | .memberID // "0"] as $corrupt
| ([$statuses[] | .status |= .[0].Status | {key: .pod, value: .}] | from_entries) as $answers
| [$answers[].status | select(. != null and (.leader // "0") != "0")] as $led
| ([$led[].raftTerm] | max) as $term
| ([$led[] | select(.raftTerm == $term)][0].leader // "") as $leader
| def member: peer_url as $url | first(($listed // [])[] | select(.peerURLs | index([$url]))) // null;
  # Alarms stand in the errors of every member, whoever they are about.
  def answers_well:
    $answers[.].status as $status
    | $status != null
      and $status.leader == $leader and $leader != ""
      and $status.raftTerm == $term
      and all($status.errors[]?; test("alarm:"));
  def is_well:
    member as $member
    | answers_well
      and ($listed == null or ($member != null and $answers[.].status.header.member_id == $member.ID))
      and ($listed == null or ($corrupt | index([$member.ID]) == null))
      and ($member.isLearner // false | not);
  [$pods[] | select(is_well | not)] as $unhealthy
| ([$unhealthy[] | {key: ., value: ($state.unhealthy[.] // ($now | todate))}] | from_entries) as $since
# What is corrupt stops all writes: there is nothing to wait for.
| [$unhealthy[] | select(($since[.] | fromdate) + $settings.after <= $now or (member.ID as $id | $corrupt | index([$id]) != null))] as $failed
| ($record.pod // (if ($unhealthy | length) == 1 then $unhealthy[0] else $failed[0] end) // "") as $target
| ($target | if . == "" then null else member end) as $member
| first($seen.pods[] | select(.name == $target)) // {} | . as $pod
| (if $settings.claim != "" then $settings.claim else $sts.claim end) as $claim_name
| first($seen.claims[] | select(.name == "\($claim_name)-\($target)")) // {} | . as $claim
| [$pods[] | peer_url] as $expected
| [$listed[]? | select(.isLearner // false | not)] as $voters
| [$pods[] | select(is_well)] as $well
| {
    MEMBERS_KNOWN: ($listed != null | yes),
    MEMBERS: ($listed // [] | length),
    VOTERS: ($voters | length),
    WELL: ($well | words),
    WELL_COUNT: ($well | length),
    UNHEALTHY: ($unhealthy | words),
    UNHEALTHY_COUNT: ($unhealthy | length),
    UNHEALTHY_SINCE: ($since | tojson),
    FAILED: ($failed | words),
    FOREIGN: ([$listed[]? | select(.peerURLs - $expected == .peerURLs) | "\(.name // "")(\(.ID))"] | words),
    MISSING: (if $listed == null then "" else [$pods[] | select(member == null)] | words end),
    LEARNERS: ([$listed[]? | select(.isLearner // false) | .peerURLs[0]] | words),
    UNSTARTED: ([$listed[]? | select((.name // "") == "") | .peerURLs[0]] | words),
    ENDPOINTS: ([$well | sort_by(($answers[.].status.header.member_id) == $leader)[] | client_url] | join(",")),
    LEADER: $leader,
    LEADER_ENDPOINT: (first($pods[] | select($leader != "" and $answers[.].status.header.member_id == $leader)) // "" | if . == "" then . else client_url end),
    NEXT_LEADER: (first($well[] | select(. != $target and member.ID != $leader) | member.ID) // ""),
    ERRORS: ([$unhealthy[] | "\(.): \($answers[.].error // "" | if . == "" then "it answers, but not as a member with quorum behind it" else . end)"] | join("; ")),
    NO_SPACE: ([$alarms[] | select(.alarm == 1) | .memberID // "0"] | words),
    CORRUPT: ($corrupt | words),
    CORRUPT_UNKNOWN: (if ($corrupt | length) > 1 then $corrupt else $corrupt - [$listed[]?.ID, $record.memberID] end | words),
    TARGET: $target,
    TARGET_WANTED: ($pods | index([$target]) != null | yes),
    TARGET_URL: ($target | peer_url),
    TARGET_ENDPOINT: ($target | client_url),
    TARGET_ID: ($member.ID // ""),
    TARGET_STARTED: (($member.name // "") != "" | yes),
    TARGET_LEARNER: ($member.isLearner // false | yes),
    TARGET_ANSWERS: ($target | answers_well | yes),
    TARGET_WELL: (($target != "" and ($target | is_well)) | yes),
    POD_UID: ($pod.uid // ""),
    POD_DELETING: ($pod.deleting // false | yes),
    CLAIM: "\($claim_name)-\($target)",
    CLAIM_UID: ($claim.uid // ""),
    CLAIM_DELETING: ($claim.deleting // false | yes),
    OUT_OF_MEMORY: ($pod.outOfMemory // false | yes),
    POD_WAITS_FOR: ($pod.waitsFor // ""),
    RECORD_STEP: ($record.step // ""),
    RECORD_ID: ($record.memberID // ""),
    RECORD_AGAIN: ($record.again // false | yes),
    RECORD_POD_UID: ($record.podUID // ""),
    RECORD_CLAIM_UID: ($record.claimUID // ""),
    RECORD_STARTED: ($record.startedAt // "1970-01-01T00:00:00Z" | fromdate),
    RECORD_STEP_AT: ($record.stepAt // "1970-01-01T00:00:00Z" | fromdate),
    RECORD_SNAPSHOT_AT: ($record.snapshotAt // "1970-01-01T00:00:00Z" | fromdate),
    REVISION: ([$well[] | $answers[.].status.header.revision // 0] | min // 0)
  }
| to_entries[] | "\(.key)=\(.value | tostring | @sh)"
