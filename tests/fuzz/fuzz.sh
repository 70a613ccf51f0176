#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Coverage-guided fuzzing with libFuzzer, not part of make check:
#
#     tests/fuzz/fuzz.sh TARGET SECONDS [FOLDER]
#
# builds with clang and the sanitizers in FOLDER (build-fuzz), starts from tests/fuzz/corpus/TARGET, the
# shipped files and tests/bad, and leaves FOLDER/TARGET/found (crashes, hangs, leaks: none is wanted,
# exit 1 otherwise) and FOLDER/TARGET/small, a minimised corpus to replace tests/fuzz/corpus/TARGET
# with. Targets are those of fuzz_targets.c. Needs the Debian packages clang and libclang-rt-dev of its
# version.
set -eu
target=${1:?a target of fuzz_targets.c} seconds=${2:?seconds}
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=${3:-$source/build-fuzz}
grep -q "\"$target\"" "$source/tests/fuzz/fuzz_targets.c" || {
	echo "'$target' is no target of fuzz_targets.c" >&2
	exit 2
}
mkdir -p "$folder"
cd "$folder"
test -e config.status || "$source/configure" -q CC=clang --disable-shared \
	CFLAGS='-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined'
make -s tests/fuzz/fuzz

mkdir -p "$target"
cd "$target"
rm -rf seeds small found
mkdir -p grown seeds small found
case $target in
netlist | step | rewrite | verify) find "$source/netlists" "$source/tests/bad" -name '*.xml' ;;
component) find "$source/components" "$source/tests/bad" -name '*.xml' ;;
table) find "$source/netlists" "$source/components" "$source/tests" -name '*.csv' ;;
matrix) find "$source/netlists" "$source/components" "$source/tests" -name '*.mtx' ;;
expression) find "$source/components" -name '*.xml' ;;
spice) find "$source/tests/exchange/spice" "$source/tests/decks" -name '*.cir' ;;
esac | while read -r file; do
	name=$(basename "$(dirname "$file")")-$(basename "$file")
	case $target in
	expression) sed -n 's/.*<\(lagrangian\|force[^>]*\|constraint[^>]*\)>\([^<]*\)<.*/\2/p' "$file" >"seeds/$name" ;;
	*) cp "$file" "seeds/$name" ;;
	esac
done
export BOXTIMES_PATH="$source/components" BXT_FUZZ="$target"
../tests/fuzz/fuzz -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=2000 \
	-dict="$source/tests/fuzz/corpus/words.dict" -fork=1 -ignore_crashes=1 -ignore_timeouts=1 \
	-ignore_ooms=1 -artifact_prefix=found/ grown "$source/tests/fuzz/corpus/$target" seeds
../tests/fuzz/fuzz -merge=1 -use_counters=0 -max_len=1024 small grown "$source/tests/fuzz/corpus/$target"
count=$(find found -type f | wc -l)
echo "$target: $count findings in $folder/$target/found, $(find small -type f | wc -l) files in small"
test "$count" -eq 0
