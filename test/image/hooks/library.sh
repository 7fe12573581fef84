#!/usr/bin/env bash
source /shell_lib.sh

function __config__() {
  echo '{"configVersion": "v1", "onStartup": 2}'
}

function __on_startup() {
  echo "library hook, $(context::jq -r .binding), in $SHELL_OPERATOR_HOOKS_DIR"
}

hook::run "$@"
