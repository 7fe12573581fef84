#!/usr/bin/env bash
# Settings from the environment, with all problems at once. Each function declares a variable, fills in its default where
# it is not set or empty, and notes what is wrong with it; environment::done ends the hook where anything is:
#
#   environment::integer BACKUP_KEEP --default 7 --min 1 --max 9999 --about 'how many good backups are kept'
#   environment::duration BACKUP_TIMEOUT --default 6h --seconds timeout_seconds
#   environment::done --prefix BACKUP_
#
# All take --default TEXT, --optional and --about SENTENCE. They start no programs.

ENVIRONMENT_NAMES=()
ENVIRONMENT_PROBLEMS=()

# A text: --min and --max characters, --pattern REGEX for all of it.
function environment::text() {
  local expected name value
  local -A option
  environment::_begin 'a text' "$@" || return 0
  environment::_text
}

# As environment::text; its value is shown nowhere.
function environment::secret() {
  local expected name value
  local -A option
  environment::_begin 'a secret text' "$@" --secret || return 0
  environment::_text
}

# A whole number: --min, --max.
function environment::integer() {
  local expected name value amount=0
  local -A option
  environment::_begin 'a whole number' "$@" || return 0
  if [[ $value =~ ^[+-]?[0-9]{1,15}$ ]]; then environment::_between environment::_millionths; else environment::_wrong; fi
}

# A number such as 0.5: --min, --max.
function environment::number() {
  local expected name value amount=0
  local -A option
  environment::_begin 'a number' "$@" || return 0
  environment::_between environment::_millionths
}

# true, yes or 1, and false, no or 0; the variable is true or false then.
function environment::boolean() {
  local expected name value
  local -A option
  environment::_begin 'true or false' "$@" || return 0
  case $value in
    true | yes | 1) printf -v "$name" true ;;
    false | no | 0) printf -v "$name" false ;;
    *) environment::_wrong ;;
  esac
}

# A duration such as 90s, 5m or 1h30m: --min, --max; --seconds VARIABLE gets its whole seconds, rounded up.
function environment::duration() {
  local expected name value amount=0
  local -A option
  environment::_begin 'a duration such as 90s, 5m or 1h30m' "$@" || return 0
  environment::_between environment::_milliseconds
  if [[ -n ${option[seconds]:-} ]]; then printf -v "${option[seconds]}" %s "$(((amount + 999) / 1000))"; fi
}

# One of --words 'volume s3'.
function environment::one_of() {
  local expected name value word
  local -A option
  environment::_begin '' "$@" || return 0
  for word in ${option[words]}; do
    if [[ $value == "$word" ]]; then return 0; fi
  done
  environment::_wrong
}

# A URL: --schemes 'https', by default http and https.
function environment::url() {
  local expected name value scheme
  local -A option
  environment::_begin 'a URL such as https://example.com' "$@" || return 0
  for scheme in ${option[schemes]:-http https}; do
    if [[ $value =~ ^"$scheme"://[^[:space:]/?#]+ && $value != *[[:space:]]* ]]; then return 0; fi
  done
  environment::_wrong
}

# The absolute path of a file that can be read.
function environment::file() {
  local expected name value
  local -A option
  environment::_begin 'the absolute path of a file that can be read' "$@" || return 0
  if [[ $value != /* ]]; then
    environment::_wrong 'it does not begin with "/"'
  elif [[ ! -e $value ]]; then
    environment::_wrong 'it is not there'
  elif [[ ! -f $value ]]; then
    environment::_wrong 'it is no file'
  elif [[ ! -r $value ]]; then
    environment::_wrong 'it cannot be read'
  fi
}

# Texts with --separator between them, by default a comma: --min and --max of them, --pattern for each; --into ARRAY.
function environment::list() {
  local expected name value part parts=() rest separator
  local -A option
  environment::_begin 'a list with commas between its elements' "$@" || return 0
  separator=${option[separator]:-,}
  rest=$value$separator
  while [[ -n $rest ]]; do
    part=${rest%%"$separator"*} rest=${rest#*"$separator"}
    part=${part#"${part%%[![:space:]]*}"} part=${part%"${part##*[![:space:]]}"}
    if [[ -n $part ]]; then parts+=("$part"); fi
  done
  if ((${#parts[@]} < ${option[min]:-0} || ${#parts[@]} > ${option[max]:-1000})); then
    environment::_wrong "it has ${#parts[@]} elements"
    return 0
  fi
  for part in "${!parts[@]}"; do
    if [[ ! ${parts[part]} =~ ^(${option[pattern]:-.*})$ ]]; then
      environment::_wrong "the element $((part + 1)) is not one"
      return 0
    fi
  done
  if [[ -n ${option[into]:-} ]]; then
    local -n environment_into=${option[into]}
    # shellcheck disable=SC2034 # it is the caller's
    environment_into=("${parts[@]}")
  fi
}

# A program that must be on the PATH.
function environment::program() {
  type -P "$1" > /dev/null || environment::problem PATH "has no program $1, expected an image with it"
}

# Notes a problem that the hook itself has found: environment::problem BACKUP_NAME 'is too long with BACKUP_SCRATCH'.
function environment::problem() {
  ENVIRONMENT_PROBLEMS+=("$1 ${2//[[:cntrl:]]/?}")
}

# Ends the hook with exit code 78 and the list of all problems, if there are any. With --prefix BACKUP_ each variable of
# the environment that begins so and is not declared is a problem.
function environment::done() {
  local line
  if [[ ${1:-} == --prefix ]]; then environment::_undeclared "$2"; fi
  case ${#ENVIRONMENT_PROBLEMS[@]} in
    0) return 0 ;;
    1) line='the environment has 1 problem:' ;;
    *) line="the environment has ${#ENVIRONMENT_PROBLEMS[@]} problems:" ;;
  esac
  {
    printf '%s\n' "$line"
    printf '  %s\n' "${ENVIRONMENT_PROBLEMS[@]}"
    # shellcheck disable=SC2016 # it is a word
    printf '%s\n' 'correct the environment of the hook, such as `env` of the container'
  } >&2
  exit 78
}

# Reads the options into what the caller declared: WHAT NAME [OPTION…]. Fails where there is no value to look at.
function environment::_begin() {
  expected=$1 name=$2
  shift 2
  option=()
  while (($# > 0)); do
    case $1 in
      --optional | --secret)
        option[${1#--}]=yes
        shift
        ;;
      --default | --about | --min | --max | --pattern | --words | --schemes | --separator | --seconds | --into)
        option[${1#--}]=$2
        shift 2
        ;;
      *)
        environment::problem "$name" "is declared with $1, which is no option"
        return 1
        ;;
    esac
  done
  environment::_expect
  ENVIRONMENT_NAMES+=("$name")
  value=${!name:-${option[default]:-}}
  printf -v "$name" %s "$value"
  if [[ -n $value ]]; then return 0; fi
  if [[ ! -v option[default] && ! -v option[optional] ]]; then
    environment::problem "$name" "is not set, expected $expected"
  fi
  return 1
}

# Says in words what is expected.
function environment::_expect() {
  local unit='' word words=()
  if [[ -v option[words] ]]; then
    for word in ${option[words]}; do words+=("$word"); done
    expected=${words[0]:-}
    for ((word = 1; word < ${#words[@]} - 1; word++)); do expected+=", ${words[word]}"; done
    if ((${#words[@]} > 1)); then expected+=" or ${words[-1]}"; fi
  fi
  case $expected in
    *text) unit=' characters' ;;
    *list*) unit=' of them' ;;
  esac
  if [[ -z $unit && -v option[min] && -v option[max] ]]; then
    expected+=" from ${option[min]} to ${option[max]}"
  else
    if [[ -v option[min] ]]; then expected+=", at least ${option[min]}$unit"; fi
    if [[ -v option[max] ]]; then expected+=", at most ${option[max]}$unit"; fi
  fi
  if [[ -v option[pattern] ]]; then expected+=", of the form ${option[pattern]}"; fi
  if [[ -v option[about] ]]; then expected+=": ${option[about]}"; fi
}

function environment::_text() {
  if ((${#value} < ${option[min]:-0} || ${#value} > ${option[max]:-1000000})); then
    environment::_wrong
  elif [[ -v option[pattern] && ! $value =~ ^(${option[pattern]})$ ]]; then
    environment::_wrong
  fi
}

# Notes that the value is not what is expected, with a detail.
function environment::_wrong() {
  local shown=$value detail=${1:+, and $1}
  if [[ -v option[secret] ]]; then
    environment::problem "$name" "has another value$detail; expected $expected"
    return 0
  fi
  if ((${#shown} > 100)); then shown=${shown:0:100}…; fi
  if [[ $shown =~ ^([^/]*//)[^/?#[:space:]]*@(.*)$ ]]; then shown="${BASH_REMATCH[1]}***@${BASH_REMATCH[2]}"; fi
  environment::problem "$name" "is \"${shown//\"/\\\"}\"$detail; expected $expected"
}

# Whether the value is within --min and --max, by a function that sets `amount`, or fails.
function environment::_between() {
  local measure=$1 limit
  if ! "$measure" "$value"; then
    environment::_wrong
    return 0
  fi
  limit=$amount
  if [[ -v option[min] ]]; then
    "$measure" "${option[min]}" || amount=$limit
    if ((limit < amount)); then environment::_wrong; fi
  fi
  if [[ -v option[max] ]]; then
    "$measure" "${option[max]}" || amount=$limit
    if ((limit > amount)); then environment::_wrong; fi
  fi
  amount=$limit
}

# Sets amount to a number in millionths.
function environment::_millionths() {
  [[ $1 =~ ^([+-]?)([0-9]{0,12})(\.([0-9]{0,6}))?$ && -n ${BASH_REMATCH[2]}${BASH_REMATCH[4]:-} ]] || return 1
  local sign=${BASH_REMATCH[1]/+/} part=${BASH_REMATCH[4]:-}000000
  amount=$((10#${BASH_REMATCH[2]:-0} * 1000000 + 10#${part:0:6}))
  if [[ $sign == - ]]; then amount=$((-amount)); fi
}

# Sets amount to a duration in milliseconds.
function environment::_milliseconds() {
  local rest=$1 sum=0 part
  local -Ar unit=([ms]=1 [s]=1000 [m]=60000 [h]=3600000)
  [[ -n $rest ]] || return 1
  if [[ $rest == 0 ]]; then rest=0s; fi
  while [[ $rest =~ ^([0-9]{1,9})(\.([0-9]{1,3}))?(ms|s|m|h)(.*)$ ]]; do
    part=${BASH_REMATCH[3]:-}000
    sum=$((sum + 10#${BASH_REMATCH[1]} * unit[${BASH_REMATCH[4]}] + 10#${part:0:3} * unit[${BASH_REMATCH[4]}] / 1000))
    rest=${BASH_REMATCH[5]}
  done
  [[ -z $rest ]] || return 1
  amount=$sum
}

# Notes each variable of the environment with a prefix that no function has declared.
function environment::_undeclared() {
  local found=() one service
  mapfile -t found < <(compgen -e "$1" || true)
  for one in "${found[@]:0:50}"; do
    if [[ " ${ENVIRONMENT_NAMES[*]} " == *" $one "* ]]; then continue; fi
    # What Kubernetes sets for the Services of the namespace.
    if [[ $one =~ ^(.+)_(SERVICE_HOST|SERVICE_PORT|PORT)(_.*)?$ ]]; then
      service=${BASH_REMATCH[1]}_SERVICE_HOST
      if [[ -n ${!service:-} ]]; then continue; fi
    fi
    environment::problem "$one" "is set, but nothing reads it; $(environment::_meant "$one")"
  done
}

# Prints the name that a misspelled one is closest to, or all names.
function environment::_meant() {
  local given=${1^^} name best='' distance least=$((${#1} / 3 > 1 ? ${#1} / 3 : 1))
  for name in "${ENVIRONMENT_NAMES[@]}"; do
    environment::_distance "$given" "${name^^}"
    if ((distance > least)) || [[ -n $best && $distance == "$least" ]]; then continue; fi
    best=$name least=$distance
  done
  local all="${ENVIRONMENT_NAMES[*]}"
  if [[ -n $best ]]; then echo "did you mean $best?"; else echo "expected one of ${all// /, }"; fi
}

# Sets distance to how many letters must be inserted, deleted or replaced.
function environment::_distance() {
  local a=$1 b=$2 i j row=() next=() least
  if ((${#a} > 64 || ${#b} > 64)); then
    distance=64
    return 0
  fi
  for ((j = 0; j <= ${#b}; j++)); do row[j]=$j; done
  for ((i = 1; i <= ${#a}; i++)); do
    next[0]=$i
    for ((j = 1; j <= ${#b}; j++)); do
      least=$((row[j - 1] + 1))
      if [[ ${a:i-1:1} == "${b:j-1:1}" ]]; then least=${row[j - 1]}; fi
      if ((row[j] + 1 < least)); then least=$((row[j] + 1)); fi
      if ((next[j - 1] + 1 < least)); then least=$((next[j - 1] + 1)); fi
      next[j]=$least
    done
    row=("${next[@]}")
  done
  distance=${row[${#b}]}
}
