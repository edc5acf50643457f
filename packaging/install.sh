#!/bin/sh
# Installs the standalone iac-code program for this machine: downloads the archive, checks its SHA-256, puts the program
# into $IACCODE_INSTALL_DIR (default ~/.local/bin). Needs no root, changes no shell profile, runs nothing it did not check.
#   sh install.sh            installs
#   sh install.sh --target   prints what would be downloaded for
set -eu

URL="${IACCODE_RELEASE_URL:-https://example.com/iac-code/v0.1.0}"
FOLDER="${IACCODE_INSTALL_DIR:-${HOME:?HOME is not set; set IACCODE_INSTALL_DIR instead}/.local/bin}"

fail() {
  printf 'iac-code install: %s\n' "$1" >&2
  exit 1
}

find_target() {
  case "$(uname -s)" in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "there is no archive for $(uname -s) here; on Windows take the windows archive or npx iac-code" ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) fail "there is no archive for $(uname -m); see npx iac-code" ;;
  esac
  libc=
  if [ "$system" = linux ] && ldd --version 2>&1 | grep -qi musl; then libc=-musl; fi
  printf '%s-%s%s\n' "$system" "$machine" "$libc"
}

fetch() {
  if command -v curl >/dev/null 2>&1; then
    curl --fail --silent --show-error --location --output "$2" "$1"
  elif command -v wget >/dev/null 2>&1; then
    wget --quiet --output-document="$2" "$1"
  else
    fail "curl or wget is needed"
  fi || fail "could not download $1"
}

sum_of() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1"
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$1"
  else
    fail "sha256sum or shasum is needed: nothing is installed unchecked"
  fi | cut -d ' ' -f 1
}

main() {
  target=$(find_target)
  if [ "${1:-}" = --target ]; then
    printf '%s\n' "$target"
    return
  fi
  [ $# -eq 0 ] || fail "unknown argument $1"
  case "$URL" in
    https://* | http://127.0.0.1:* | http://localhost:*) ;;
    *) fail "IACCODE_RELEASE_URL must be an https address" ;;
  esac
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM HUP

  fetch "$URL/SHA256SUMS" "$work/SHA256SUMS"
  line=$(grep -- "-$target.tar.gz\$" "$work/SHA256SUMS") || fail "this release has no archive for $target"
  wanted=${line%% *}
  archive=${line##* }
  case "$archive" in
    */* | *'
'*) fail "SHA256SUMS is not as expected" ;;
  esac
  fetch "$URL/$archive" "$work/$archive"
  got=$(sum_of "$work/$archive")
  [ "$got" = "$wanted" ] || fail "the SHA-256 of $archive is $got, not $wanted: nothing was installed"

  tar -xzf "$work/$archive" -C "$work" iac-code
  version=$("$work/iac-code" --version) || fail "the program does not run on this machine"
  mkdir -p "$FOLDER"
  # Within one file system this replaces a running older program in one step.
  cp "$work/iac-code" "$FOLDER/.iac-code.new"
  chmod 755 "$FOLDER/.iac-code.new"
  mv -f "$FOLDER/.iac-code.new" "$FOLDER/iac-code"
  printf 'iac-code %s is in %s\n' "$version" "$FOLDER"
  case ":${PATH:-}:" in
    *":$FOLDER:"*) ;;
    *) printf 'Add that folder to PATH, or use the full path in your editor.\n' ;;
  esac
}

# The whole script is read before any of it runs, so that a cut download does nothing.
main "$@"
