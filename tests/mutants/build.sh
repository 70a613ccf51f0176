# SPDX-License-Identifier: GPL-3.0-or-later
# What a mutant is built with; sourced by mutants.sh and drawn.sh, with the build folder as $1 and
# $source and $here set. The object of the mutant is linked before the sound one, which is in a
# library and then not taken.

cd "$1" || exit 1
build=$(pwd)
test -f Makefile || fail "$build is no build folder"
work=$build/${work_name:-mutants}
rm -rf "$work"
mkdir -p "$work" || exit 1
: >"$work/build.log"

BOXTIMES_PATH=$source/components
BXT_NETLISTS=$source/netlists
BXT_TESTDATA=$source/tests
BXT_TOOL=$build/mutant-boxtimes # its data lie beside it
BXT_SOURCE=$source
BXT_BUILD=$build
BXT_PLUGINS=$build/tests/plugins
srcdir=$source
export BOXTIMES_PATH BXT_NETLISTS BXT_TESTDATA BXT_TOOL BXT_SOURCE BXT_BUILD BXT_PLUGINS srcdir
trap 'rm -f "$BXT_TOOL"; exit 1' INT TERM

# The value of a variable of the Makefile.
value() {
	printf 'include Makefile\nprint-it: ; $(info $(%s))@:\n' "$1" | make -s -f - print-it
}
compile=$(value COMPILE)
link=$(value LINK | sed 's/ -o print-it$//')
flags= # of compiler and linker, for a mutant
tool=$(value boxtimes_OBJECTS)
libraries="libbxt_all.la $(value MATH_LIBS)"

# The program that a test runs.
program_of() {
	case $1 in
	*.sh) echo boxtimes ;;
	*) echo "tests/$(dirname "${1%%(*}")/suites" ;;
	esac
}

# The program $1 with the object $2 of the file $3 into $4; no object: as it is.
link_program() {
	if [ "$1" = boxtimes ]; then
		# an object of the tool replaces the sound one; one of the library goes before it
		objects=$(printf '%s\n' $tool | grep -vx "${3%.c}.o" | tr '\n' ' ')
		eval "$link $flags -o \"\$4\" $objects $2 $libraries"
	else
		name=$(echo "$1" | tr './-' '___')
		if [ ! -f "$work/$name" ]; then # of this run: make takes its time
			own=$(value "${name}_LINK" | sed 's/ -o print-it$//')
			echo "${own:-$link} $(value "${name}_OBJECTS")" >"$work/$name"
			value "${name}_LDADD" >>"$work/$name"
		fi
		eval "$(sed -n 1p "$work/$name") $flags $2 $(sed -n 2p "$work/$name") -o \"\$4\""
	fi >>"$work/build.log" 2>&1
}

# The object $1.o of the source $1.c, a copy of $2; more flags: the rest.
compile_copy() {
	base=$1 of=$2
	shift 2
	eval "$compile -O1 -w $* -I\"\$source/${of%/*}\" -c -o \"\$base.o\" \"\$base.c\"" >>"$work/build.log" 2>&1
}
