#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The viewer in headless Chromium, and the links that other programs load: tests/web/viewer.mjs, where all that it needs is
# there (deploy/install-deps viewer, make viewer).
bin=${SUBDD_BIN:-build/bin} build=${SUBDD_BUILD:-build}
skip() { printf 'skipped: %s\n[  SKIPPED ] 1 test(s)\n' "$1" && exit 0; }
command -v node >/dev/null || skip "no Node.js here (deploy/install-deps viewer)"
command -v chromium >/dev/null || skip "no Chromium here (deploy/install-deps viewer)"
[ -d "$build/web-tests/node_modules" ] || skip "no $build/web-tests/node_modules (deploy/install-deps viewer)"
[ -f "$bin/../share/subdd/viewer/viewer.html.gz" ] || skip "the viewer is not built (make viewer)"
exec node tests/web/viewer.mjs "$bin" "$build"
