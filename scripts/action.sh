#!/usr/bin/env bash
# What action.yml runs: installs weave beside the checkout and calls `weave ci`. Every input is a variable.
set -euo pipefail

prefix="${RUNNER_TEMP:-/tmp}/weave"
command="${INPUT_COMMAND:-validate}"

case "$command" in
  validate | rehearse | run) ;;
  *)
    echo "weave: the input command must be validate, rehearse or run." >&2
    exit 2
    ;;
esac

# A version of a package, and nothing that npm would take for another one or for an option.
version="${INPUT_VERSION:-latest}"
if ! [[ "$version" =~ ^[0-9A-Za-z][0-9A-Za-z.+-]*$ ]]; then
  echo "weave: the input version must be a version such as 1.2.3 or latest." >&2
  exit 2
fi

npm install --prefix "$prefix" --ignore-scripts --no-audit --no-fund --no-save "weave-runtime@$version"
weave="$prefix/node_modules/.bin/weave"

harnesses="${INPUT_HARNESSES:-auto}"
if [ "$harnesses" = auto ]; then
  if [ "$command" = validate ]; then harnesses=none; else harnesses=claude,pi; fi
fi
if [ "$harnesses" != none ]; then
  IFS=',' read -r -a names <<<"$harnesses"
  for name in "${names[@]}"; do
    name="${name//[[:space:]]/}"
    if ! [[ "$name" =~ ^[a-z][a-z0-9-]*$ ]]; then
      echo "weave: the input harnesses must be auto, none or names such as claude,pi." >&2
      exit 2
    fi
    "$weave" harness add "$name" -y
  done
fi

# One word a line, so that a path may have blanks in it; an empty line is nothing.
words=(ci "$command")
add_lines() {
  while IFS= read -r line || [ -n "$line" ]; do
    line="${line%$'\r'}"
    if [ -n "$line" ]; then words+=("$line"); fi
  done <<<"$1"
}
if [ -n "${INPUT_DATA:-}" ]; then words+=("--data=$INPUT_DATA"); fi
if [ -n "${INPUT_MAX_COST:-}" ]; then words+=("--max-cost=$INPUT_MAX_COST"); fi
if [ -n "${INPUT_SARIF_FILE:-}" ]; then words+=("--sarif=$INPUT_SARIF_FILE"); fi
if [ "${INPUT_UPLOAD_REPORT:-false}" = true ] && [ "$command" != validate ]; then
  words+=("--report=$prefix/weave-report.html")
fi
add_lines "${INPUT_ARGS:-}"
words+=(--)
add_lines "${INPUT_HANK:-.}"

exec "$weave" "${words[@]}"
