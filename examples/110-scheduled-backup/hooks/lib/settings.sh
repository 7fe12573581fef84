# shellcheck shell=bash
# The settings, from the environment. All that is wrong with them is told at once.

BACKUP_FORMAT=hooklet.dev/backup/v1
BACKUP_PATTERN='^[0-9]{8}T[0-9]{6}Z-[A-Za-z0-9][A-Za-z0-9-]*$'
# Of the file that a manifest names: nothing that leads anywhere else.
DUMP_PATTERN='^dump(\.[a-z]+)+$'

default_name() {
  echo "${database:?}"
}

set_defaults() {
  : "${BACKUP_NAME:=$(default_name)}" "${BACKUP_OBJECT_KIND:=StatefulSet}" "${BACKUP_OBJECT_NAME:=$(default_name)}"
  : "${BACKUP_TARGET:=volume}" "${BACKUP_DIR:=/backups}" "${BACKUP_SCRATCH:=/tmp/backup}" "${BACKUP_VERIFY:=yes}"
  : "${BACKUP_KEEP:=7}" "${BACKUP_KEEP_DAYS:=0}"
  : "${S3_ENDPOINT:=}" "${S3_BUCKET:=}" "${S3_PREFIX:=}" "${S3_REGION:=us-east-1}" "${S3_PROVIDER:=Other}" "${S3_TIMEOUT:=5m}"
}

read_settings() {
  problems=()
  expect BACKUP_NAME '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' 'lower case letters, digits and "-"'
  expect BACKUP_TARGET '^(volume|s3)$' 'volume or s3'
  expect BACKUP_VERIFY '^(yes|read|no)$' 'yes (restored somewhere else), read (checked by the tool) or no'
  expect BACKUP_KEEP '^[1-9][0-9]{0,3}$' 'a number from 1 to 9999: the last good backup is never removed'
  expect BACKUP_KEEP_DAYS '^(0|[1-9][0-9]{0,3})$' 'a number of days up to 9999; 0 counts backups only'
  expect BACKUP_SCRATCH '^/.' 'an absolute path'
  # A socket lies in a folder of this name there, and the path of a socket has 107 bytes at most.
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
