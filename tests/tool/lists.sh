#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every source file is in Makefile.am: one that is forgotten would neither be built nor shipped.
cd "${BXT_SOURCE:?}" || exit 1
passed=0 failed=0
for file in lib/*.h lib/*/*/*.[ch] tools/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch] tests/*/*.sh tools/*.gp python/*/*.py*; do
	test -f "$file" || continue
	case $file in
	*/_config.py) continue ;; # made in builds within the source tree
	tests/bench/bench_*.c) name=${file%.c} ;;
	*) name=$file ;;
	esac
	# as a word: lib/ground/expr/expr.c is not in lib/expr.cpp
	if tr -s '[:blank:]' '\n' <Makefile.am | grep -qxF "$name"; then
		passed=$((passed + 1))
	else
		echo "$file is not in Makefile.am"
		failed=$((failed + 1))
	fi
done
# What has the folders of the installation in it is made anew when configure was told another
# --prefix: Makefile is newer then.
planned=$(MAKEFLAGS='' make -C "${BXT_BUILD:?}" -n -W Makefile libboxtimes.la tools/model.o 2>&1)
for made in 'mode=link.* libboxtimes\.la' '-o tools/model\.o'; do
	if printf '%s\n' "$planned" | grep -q -e "$made"; then
		passed=$((passed + 1))
	else
		echo "another --prefix does not make anew: $made"
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
test "$failed" -eq 0
