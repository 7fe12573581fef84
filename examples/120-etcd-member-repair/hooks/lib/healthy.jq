# Who answers, knows a leader, and agrees with the others on who that is and in which term.
($snapshots[0].statefulset[0]) as $sts
| (if $settings.domain != "" then $settings.domain else "\($sts.service).\($settings.namespace).svc" end) as $domain
| [$statuses[] | .status |= .[0].Status | select(.status != null and (.status.leader // "0") != "0")] as $led
| ([$led[].status.raftTerm] | max) as $term
| [$led[] | select(.status.raftTerm == $term and (.status.isLearner // false | not))] as $voters
# A follower first: it has the time.
| ($voters | sort_by(.status.header.member_id == .status.leader)) as $ordered
| {
    ENDPOINTS: ([$ordered[].pod | "\($settings.client)://\(.).\($domain):\($settings.clientPort)"] | join(",")),
    LEADER: ($voters[0].status.leader // "")
  }
| to_entries[] | "\(.key)=\(.value | tostring | @sh)"
