# shellcheck shell=bash
# The settings of a volume, and how an archive is counted.

database_settings() {
  : "${SOURCE_DIR:=/source}" "${VOLUME_PATH:=.}"
  files=$SOURCE_DIR/$VOLUME_PATH
  for program in tar gzip du; do expect_program "$program"; done
}

# Sets counted, the number of entries of an archive.
count_files() { # FILE
  try VerifyFailed "the archive cannot be read" tar --list --gzip --file="$1" > "$work/list"
  counted=$(wc -l < "$work/list")
}
