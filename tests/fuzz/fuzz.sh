#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Coverage-guided fuzzing of the two readers with libFuzzer, not part of make check:
#
#     tests/fuzz/fuzz.sh netlist|component SECONDS [FOLDER]
#
# builds with clang and the sanitizers in FOLDER (build-fuzz), starts from tests/fuzz/corpus, the shipped
# files and tests/bad, and leaves FOLDER/found (crashes, hangs, leaks: none is wanted, exit 1
# otherwise) and FOLDER/small, a minimised corpus to replace tests/fuzz/corpus/TARGET with. Needs the
# Debian packages clang and libclang-rt-dev of its version.
set -eu
target=${1:?netlist or component} seconds=${2:?seconds}
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=${3:-$source/build-fuzz}
case $target in
netlist | component) ;;
*)
	echo "netlist or component, not '$target'" >&2
	exit 2
	;;
esac
mkdir -p "$folder"
cd "$folder"
test -e config.status || "$source/configure" -q CC=clang --disable-shared \
	CFLAGS='-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined'
make -s "tests/fuzz/fuzz_$target"

rm -rf seeds small found
mkdir -p "grown-$target" seeds small found
case $target in
netlist) find "$source/netlists" "$source/tests/bad" -name '*.xml' ;;
component) find "$source/components" "$source/tests/bad" -name '*.xml' ;;
esac | while read -r file; do
	cp "$file" "seeds/$(basename "$(dirname "$file")")-$(basename "$file")"
done
export BOXTIMES_PATH="$source/components"
"tests/fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=2000 \
	-dict="$source/tests/fuzz/corpus/words.dict" -fork=1 -ignore_crashes=1 -ignore_timeouts=1 \
	-ignore_ooms=1 -artifact_prefix=found/ "grown-$target" "$source/tests/fuzz/corpus/$target" seeds
"tests/fuzz/fuzz_$target" -merge=1 -use_counters=0 -max_len=1024 small "grown-$target" \
	"$source/tests/fuzz/corpus/$target"
count=$(find found -type f | wc -l)
echo "$target: $count findings in $folder/found, $(find small -type f | wc -l) files in $folder/small"
test "$count" -eq 0
