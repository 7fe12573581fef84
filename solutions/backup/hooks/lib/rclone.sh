# shellcheck shell=bash
# How rclone is run, and what its errors mean.
export RCLONE_CONFIG=/dev/null RCLONE_CONFIG_BACKUP_TYPE=s3 RCLONE_CONFIG_BACKUP_PROVIDER=$S3_PROVIDER
export RCLONE_CONFIG_BACKUP_ENDPOINT=$S3_ENDPOINT RCLONE_CONFIG_BACKUP_REGION=$S3_REGION
# The credentials are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the identity of the ServiceAccount.
export RCLONE_CONFIG_BACKUP_ENV_AUTH=true
# rclone has another variable for the CA bundle, and does not work with this one.
if [[ -n ${AWS_CA_BUNDLE:-} ]]; then
  export RCLONE_CA_CERT=$AWS_CA_BUNDLE
  unset AWS_CA_BUNDLE
fi
# A person creates the bucket. Uploads are read back in full, so rclone need not look at them with HEAD, which
# requires another right in a bucket with versions.
export RCLONE_CONFIG_BACKUP_NO_CHECK_BUCKET=true RCLONE_CONFIG_BACKUP_NO_HEAD=true
export RCLONE_TIMEOUT=$S3_TIMEOUT RCLONE_CONTIMEOUT=${RCLONE_CONTIMEOUT:-20s} RCLONE_RETRIES=${RCLONE_RETRIES:-3}
export RCLONE_LOW_LEVEL_RETRIES=${RCLONE_LOW_LEVEL_RETRIES:-5}
# Modification times are those of the store.
export RCLONE_USE_SERVER_MODTIME=true TZ=UTC
# Without a check of the destination first, so that the answer to an error has a body with the reason.
send=(copyto --ignore-times --no-check-dest)

# Runs rclone; if it fails, the run fails.
store() {
  rclone "$@" 2> "$work/stderr" || diagnose
}

what_rclone_said() {
  sed -n '/ Failed to /,$ {s/.* Failed to [a-z]*: //; s/, request id.*//; p}' "$work/stderr" | last_words
}

# Fails the run with a reason that is derived from the output of rclone.
diagnose() {
  local said
  said=$(what_rclone_said)
  case $said in
    *NoSuchBucket* | *'directory not found'*)
      fail BucketMissing "there is no bucket $S3_BUCKET at ${S3_ENDPOINT:-AWS}: make it, or correct S3_BUCKET: $said" ;;
    *InvalidAccessKeyId* | *SignatureDoesNotMatch* | *UserNotFound* | *InvalidToken* | *ExpiredToken*)
      fail WrongCredentials "${S3_ENDPOINT:-AWS} does not know these credentials: correct the Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: $said" ;;
    *AccessDenied* | *Forbidden*)
      fail AccessDenied "these credentials may not do this in bucket $S3_BUCKET: they need s3:ListBucket, GetObject, PutObject, and DeleteObject unless BACKUP_RETENTION is none: $said" ;;
    *StorageFull* | *InsufficientStorage* | *QuotaExceeded* | *'Quota'*'xceeded'* | *'no space left'* | *'status code: 507'*)
      fail TargetFull "bucket $S3_BUCKET is full: raise its quota, or lower BACKUP_KEEP: $said" ;;
    *'dial tcp'* | *timeout* | *'deadline exceeded'* | *'no such host'* | *'connection re'* | *EOF* | *x509*)
      fail TargetUnreachable "${S3_ENDPOINT:-AWS} does not answer: look at S3_ENDPOINT, its certificate and the network: $said" ;;
    *)
      fail TargetFailed "the store refuses: $said" ;;
  esac
}
