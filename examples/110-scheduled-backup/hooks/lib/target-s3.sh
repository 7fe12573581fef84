# shellcheck shell=bash
# Backups in an S3 bucket:
#   NAME/BACKUP/{the dump, manifest.json}      published: it has a manifest, which was written last
#   NAME/.incoming/BACKUP/                     being written, or left by a run that was killed
#   NAME/latest.json                           the manifest of the newest one, for people
export RCLONE_CONFIG=/dev/null RCLONE_CONFIG_BACKUP_TYPE=s3 RCLONE_CONFIG_BACKUP_PROVIDER=$S3_PROVIDER
export RCLONE_CONFIG_BACKUP_ENDPOINT=$S3_ENDPOINT RCLONE_CONFIG_BACKUP_REGION=$S3_REGION
# AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the identity of the ServiceAccount.
export RCLONE_CONFIG_BACKUP_ENV_AUTH=true
# rclone knows it by another name, and stumbles over this one.
if [[ -n ${AWS_CA_BUNDLE:-} ]]; then
  export RCLONE_CA_CERT=$AWS_CA_BUNDLE
  unset AWS_CA_BUNDLE
fi
# Buckets are made by people.
export RCLONE_CONFIG_BACKUP_NO_CHECK_BUCKET=true
export RCLONE_TIMEOUT=$S3_TIMEOUT RCLONE_CONTIMEOUT=${RCLONE_CONTIMEOUT:-20s} RCLONE_RETRIES=${RCLONE_RETRIES:-3}
export RCLONE_LOW_LEVEL_RETRIES=${RCLONE_LOW_LEVEL_RETRIES:-5}
root=backup:$S3_BUCKET/${S3_PREFIX:+$S3_PREFIX/}$BACKUP_NAME
# A folder that has BACKUP/manifest.json for each one that is published, after target_list or target_clean.
manifests=$work/manifests

target_describe() {
  echo "bucket $S3_BUCKET at ${S3_ENDPOINT:-AWS}"
}

target_check() {
  echo probe > "$work/probe"
  # Without a look first, so that the answer has a body that says why.
  store copyto --ignore-times --no-check-dest "$work/probe" "$root/.incoming/.probe"
  store deletefile "$root/.incoming/.probe"
}

# What no manifest speaks for, of runs that were killed: nothing else that may be in the bucket.
target_clean() {
  local path folder
  store lsf -R --files-only "$root" > "$work/files"
  # Afterwards, so that one that is published in between is seen.
  target_list
  while IFS= read -r path; do
    folder=${path%%/*}
    [[ $path == .incoming/* || ($folder =~ $BACKUP_PATTERN && $path == "$folder"/dump.*) ]] || continue
    [[ $folder == .incoming || ! -e $manifests/$folder/manifest.json ]] || continue
    store deletefile "$root/$path"
    echo "removed $path of a run that did not end"
  done < "$work/files"
}

target_put() { # FILE
  store copyto --ignore-times "$1" "$root/.incoming/$backup/$dump_name"
}

# As it is read at a restore.
target_checksum() {
  store cat "$root/.incoming/$backup/$dump_name" | sha256sum | cut -d ' ' -f 1
}

target_publish() { # MANIFEST
  store moveto --ignore-times "$root/.incoming/$backup/$dump_name" "$root/$backup/$dump_name"
  store copyto --ignore-times "$1" "$root/$backup/manifest.json"
  # Somebody who cleaned up in between took the dump for a leftover: then there must be no manifest either.
  [[ $(store size --json "$root/$backup" --include "/$dump_name" | jq .bytes) == "$bytes" ]] || {
    store deletefile "$root/$backup/manifest.json"
    fail UploadDamaged "the dump went away while it was published: is there another operator at work with this name?"
  }
  mkdir -p "$manifests/$backup"
  cp "$1" "$manifests/$backup/manifest.json"
}

target_list() {
  store sync --include '/*/manifest.json' "$root" "$manifests"
}

target_point() { # MANIFEST
  store copyto --ignore-times "$1" "$root/latest.json"
}

target_get() { # BACKUP FILE TO
  store copyto "$root/$1/$2" "$3"
}

# The manifest first, so that half a backup is never seen.
target_remove() { # BACKUP
  local file
  file=$(jq -r .file "$manifests/$1/manifest.json")
  store deletefile "$root/$1/manifest.json"
  # One that leads elsewhere is none of ours to remove.
  [[ ! $file =~ $DUMP_PATTERN ]] || store deletefile "$root/$1/$file"
}

# Something else than a backup, to be kept until a person removes it.
target_save() { # FILE FOLDER
  store copyto "$1" "$root/$2/$(basename "$1")"
}

# Runs rclone; of what it says when it fails, the reason is made.
store() {
  rclone "$@" 2> "$work/stderr" && return
  local said
  said=$(sed -n '/ Failed to /,$ {s/.* Failed to [a-z]*: //; s/, request id.*//; p}' "$work/stderr" | last_words)
  case $said in
    *NoSuchBucket* | *'directory not found'*)
      fail BucketMissing "there is no bucket $S3_BUCKET at ${S3_ENDPOINT:-AWS}: make it, or correct S3_BUCKET: $said" ;;
    *InvalidAccessKeyId* | *SignatureDoesNotMatch* | *UserNotFound* | *InvalidToken* | *ExpiredToken*)
      fail WrongCredentials "${S3_ENDPOINT:-AWS} does not know these credentials: correct the Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: $said" ;;
    *AccessDenied* | *Forbidden*)
      fail AccessDenied "these credentials may not do this in bucket $S3_BUCKET: they need s3:ListBucket, GetObject, PutObject, DeleteObject: $said" ;;
    *StorageFull* | *InsufficientStorage* | *QuotaExceeded* | *'Quota'*'xceeded'* | *'no space left'* | *'status code: 507'*)
      fail TargetFull "bucket $S3_BUCKET is full: raise its quota, or lower BACKUP_KEEP: $said" ;;
    *'dial tcp'* | *timeout* | *'deadline exceeded'* | *'no such host'* | *'connection re'* | *EOF* | *x509*)
      fail TargetUnreachable "${S3_ENDPOINT:-AWS} does not answer: look at S3_ENDPOINT, its certificate and the network: $said" ;;
    *)
      fail TargetFailed "the store refuses: $said" ;;
  esac
}
