# shellcheck shell=bash
# The settings, from the environment. All invalid ones are reported at once.

BACKUP_FORMAT=hooklet.dev/backup/v1
BACKUP_PATTERN='^[0-9]{8}T[0-9]{6}Z-[A-Za-z0-9][A-Za-z0-9-]*$'
# The file name in a manifest: it cannot lead anywhere else.
DUMP_PATTERN='^dump(\.[a-z]+)+$'

default_name() {
  echo "${database:?}"
}

set_defaults() {
  : "${BACKUP_NAME:=$(default_name)}" "${BACKUP_OBJECT_KIND:=StatefulSet}" "${BACKUP_OBJECT_NAME:=$(default_name)}"
  : "${BACKUP_TARGET:=volume}" "${BACKUP_DIR:=/backups}" "${BACKUP_SCRATCH:=/tmp/backup}" "${BACKUP_VERIFY:=yes}"
  : "${BACKUP_SCRATCH_LIMIT:=0}"
  : "${BACKUP_KEEP:=7}" "${BACKUP_KEEP_DAYS:=0}" "${BACKUP_RETENTION:=keep}" "${BACKUP_ATTEMPTS:=5}"
  : "${BACKUP_KEEP_FAILED:=1}" "${BACKUP_KEEP_FAILED_MIB:=10240}" "${BACKUP_TIMEOUT:=6h}" "${BACKUP_LOCK_TIMEOUT:=2m}"
  : "${BACKUP_FOLDER:=${POD_NAMESPACE:-default}/$BACKUP_NAME}" "${BACKUP_IDENTITY:=}" "${BACKUP_TAKE_OVER:=}"
  installation=${POD_NAMESPACE:-default}/$BACKUP_OBJECT_NAME
  : "${S3_ENDPOINT:=}" "${S3_BUCKET:=}" "${S3_PREFIX:=}" "${S3_REGION:=us-east-1}" "${S3_PROVIDER:=Other}" "${S3_TIMEOUT:=5m}"
}

read_settings() {
  problems=()
  expect BACKUP_NAME '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' 'lower case letters, digits and "-"'
  expect BACKUP_TARGET '^(volume|s3)$' 'volume or s3'
  expect BACKUP_VERIFY '^(yes|read|no)$' 'yes (restored somewhere else), read (checked by the tool) or no'
  expect BACKUP_KEEP '^[1-9][0-9]{0,3}$' 'a number from 1 to 9999: the last good backup is never removed'
  expect BACKUP_KEEP_DAYS '^(0|[1-9][0-9]{0,3})$' 'a number of days up to 9999; 0 counts backups only'
  expect BACKUP_RETENTION '^(keep|none)$' 'keep (BACKUP_KEEP says what is removed) or none (somebody else removes it)'
  expect BACKUP_ATTEMPTS '^[1-9][0-9]{0,3}$' 'a number of dumps from 1 to 9999'
  expect BACKUP_KEEP_FAILED '^(0|[1-9][0-9]?)$' 'a number up to 99 of dumps that could not be verified'
  expect BACKUP_KEEP_FAILED_MIB '^(0|[1-9][0-9]{0,8})$' 'a number of MiB'
  expect BACKUP_FOLDER '^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$' 'a path in the target of letters, digits, ".", "_" and "-", no part of which begins with "."'
  expect BACKUP_IDENTITY '^$|^[A-Za-z0-9._:/%-]+$' 'a name of letters, digits and "._:/%-"'
  expect_duration BACKUP_TIMEOUT timeout_seconds
  expect_duration BACKUP_LOCK_TIMEOUT lock_seconds
  expect BACKUP_SCRATCH '^/.' 'an absolute path'
  expect BACKUP_SCRATCH_LIMIT '^(0|[1-9][0-9]{0,17})$' 'a number of bytes that all emptyDirs of the Pod may hold; 0: BACKUP_SCRATCH is a volume of its own'
  # A socket lies in the folder BACKUP_SCRATCH/BACKUP_NAME, and the path of a socket has 107 bytes at most.
  ((${#BACKUP_SCRATCH} + ${#BACKUP_NAME} <= 84)) ||
    problems+=("BACKUP_SCRATCH and BACKUP_NAME have ${#BACKUP_SCRATCH} and ${#BACKUP_NAME} characters, expected 84 in all at most")
  case $BACKUP_TARGET in
    volume)
      expect BACKUP_DIR '^/.' 'the absolute path of a mounted volume'
      ;;
    s3)
      expect S3_BUCKET '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$' 'the name of a bucket'
      expect S3_ENDPOINT '^$|^https?://' 'a URL, or nothing for AWS itself'
      expect S3_PREFIX '^$|^[^/].*[^/]$|^[^/]$' 'a path in the bucket without "/" around it'
      expect S3_TIMEOUT '^[0-9]+(ms|s|m|h)$' 'a duration such as 5m'
      if [[ -z ${AWS_WEB_IDENTITY_TOKEN_FILE:-} ]]; then
        expect_set AWS_ACCESS_KEY_ID 'the access key, from a Secret'
        expect_set AWS_SECRET_ACCESS_KEY 'the secret key, from a Secret'
      fi
      expect_program rclone
      ;;
  esac
  encryption_settings
  database_settings
  ((${#problems[@]} == 0)) || fail BadSettings "$(printf '%s; ' "${problems[@]}")correct the environment of the Deployment"
}

expect() { # NAME PATTERN WORDS
  [[ ${!1} =~ $2 ]] || problems+=("$1 is \"${!1}\", expected $3")
}

expect_set() { # NAME WORDS
  [[ -n ${!1:-} ]] || problems+=("$1 is not set, expected $2")
}

expect_program() {
  command -v "$1" > /dev/null || problems+=("$1 is not in the image")
}

# Sets VARIABLE to the number of seconds.
expect_duration() { # NAME VARIABLE
  local rest=${!1} seconds=0
  local -A length=([ms]=0 [s]=1 [m]=60 [h]=3600)
  while [[ $rest =~ ^([0-9]{1,7})(ms|s|m|h)(.*)$ ]]; do
    seconds=$((seconds + 10#${BASH_REMATCH[1]} * length[${BASH_REMATCH[2]}])) rest=${BASH_REMATCH[3]}
  done
  printf -v "$2" %s "$seconds"
  [[ -z $rest && $seconds -gt 0 ]] || problems+=("$1 is \"${!1}\", expected a duration such as 90s, 5m or 1h30m")
}
