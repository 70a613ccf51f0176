#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The papers' figures drawn from our own runs: a page FOLDER/index.html with a picture each, the netlist, the commands that
# made it and what can be read off, measured in the runs. Pictures are gnuplot's; without it the page has the numbers only.
# What there is stands in figures/*.sh; a figure whose run is refused is left out with the reason.
# Usage: [FIGURES_LONG=STEPS] figures.sh BOXTIMES NETLISTS FOLDER [MAKE_CONVERGENCE [MAKE_MODES]]
# STEPS are those of the long run of vortices, a million.
set -eu
tool=${1:?} netlists=${2:?} folder=${3:?} convergence=${4:-} make_modes=${5:-}
here=$(cd "$(dirname "$0")/figures" && pwd)
data=$folder/data
mkdir -p "$data"
page=$folder/index.html
long=${FIGURES_LONG:-1000000}
every=$((long / 1000 + (long < 1000)))
left_out=0 drawn=0

escape() {
	sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g'
}

# ---- Inside a figure: a function that runs in a subshell, with $id ----

# The reason why a figure cannot be drawn.
refuse() {
	echo "$1" >"$data/$id.refused"
	exit 1
}

# A word as a shell would need it.
quoted() {
	case $1 in
	*[!A-Za-z0-9_.,=+:/@%-]*) printf " '%s'" "$1" ;;
	*) printf ' %s' "$1" ;;
	esac
}

# note COMMAND NETLIST OPTIONS ...: remembers a command as a user would type it, and the netlist.
note() {
	{
		printf 'boxtimes %s netlists/%s' "$1" "$2"
		noted=$2
		shift 2
		for word; do quoted "$word"; done
		echo
	} >>"$data/$id.commands"
	grep -qxF "$noted" "$data/$id.netlists" 2>/dev/null || echo "$noted" >>"$data/$id.netlists"
}

# run NAME NETLIST OPTIONS ...: to NAME.csv
run() {
	run_name=$1 run_netlist=$2
	shift 2
	test -f "$netlists/$run_netlist" || refuse "there is no netlist $run_netlist"
	note run "$run_netlist" "$@" -o "$run_name.csv"
	"$tool" run "$netlists/$run_netlist" "$@" --quiet --plain-header -o "$data/$run_name.csv" 2>"$data/$run_name.messages" ||
		refuse "$(grep -m 1 error "$data/$run_name.messages" || tail -n 1 "$data/$run_name.messages")"
}

# measure PROGRAM NAME ...: an awk program over the rows of NAME.csv ... side by side. v("C1.q") is a value of the first file,
# v("2 C1.q") one of the second; t is the time.
measure() {
	program=$1
	shift
	files=
	for part; do files="$files $part.csv"; done
	# names of runs are ours, without blanks
	# shellcheck disable=SC2086
	(cd "$data" && paste -d , $files) | awk -F , '
		function abs(x) { return x < 0 ? -x : x }
		function max(a, b) { return a > b ? a : b }
		function near(time) { return abs(t - time) < 1e-6 }
		function v(name) {
			if (!(name in column)) { print "no column " name >"/dev/stderr"; exit 1 }
			return $column[name]
		}
		NR == 1 {
			pi = atan2(0, -1)
			for (i = 1; i <= NF; i++) {
				sub(/ \[[^]]*\]$/, "", $i) # its unit
				file += $i == "time"
				column[file " " $i] = i
				if (file == 1) column[$i] = i
			}
			next
		}
		{ t = $1 }
		'"$program"
}

# draw SCRIPT: the picture of the figure, by figures/SCRIPT.gp in the folder of the data
draw() {
	test "$gnuplot" = yes || return 0
	(cd "$data" && gnuplot -d "$here/common.gp" "$here/$1.gp" >"../$id.svg.part" 2>"$id.messages") ||
		refuse "gnuplot: $(cat "$data/$id.messages")"
	mv "$folder/$id.svg.part" "$folder/$id.svg"
	echo "$id.svg" >>"$data/$id.pictures"
}

# say HTML ...: what to look at
say() {
	echo "<p>$*</p>" >>"$data/$id.say"
}

# table "HEAD|HEAD|..." "CELL|CELL|..." ...
table() {
	{
		echo '<table>'
		tag=th
		for line; do
			echo "$line" | sed -e "s#|#</$tag><$tag>#g" -e "s#^#<tr><$tag>#" -e "s#\$#</$tag></tr>#"
			tag=td
		done
		echo '</table>'
	} >>"$data/$id.say"
}

# ---- The page ----

section() {
	echo "<h2>$1</h2>" >>"$data/body"
	echo "<li class=\"section\">$1</li>" >>"$data/contents"
}

details() {
	echo "<details><summary>$1</summary><pre>"
	escape
	echo '</pre></details>'
}

# figure ID NUMBER TITLE FUNCTION
figure() {
	id=$1
	rm -f "$data/$id.refused" "$data/$id.commands" "$data/$id.netlists" "$data/$id.pictures" "$data/$id.say" \
		"$folder/$id.svg"
	status=0
	# in a subshell, so that a refusal ends the figure only; not in a condition, where -e is off
	set +e
	(
		set -e
		"$4"
	)
	status=$?
	set -e
	{
		echo "<section id=\"$id\"><h3><span>$2</span> $3</h3>"
		if test "$status" -ne 0; then
			reason=$(cat "$data/$id.refused" 2>/dev/null || echo "its script failed")
			echo "<p class=\"refused\">Left out: $(echo "$reason" | escape)</p>"
			echo "$id ($2): left out: $reason" >&2
		else
			for picture in $(cat "$data/$id.pictures" 2>/dev/null); do
				echo "<img src=\"$picture\" alt=\"$2\">"
			done
			cat "$data/$id.say"
			test ! -f "$data/$id.commands" || details 'Commands' <"$data/$id.commands"
			for name in $(cat "$data/$id.netlists" 2>/dev/null); do
				details "netlists/$name" <"$netlists/$name"
			done
		fi
		echo '</section>'
	} >>"$data/body"
	echo "<li><a href=\"#$id\">$2</a> $3</li>" >>"$data/contents"
	if test "$status" -eq 0; then drawn=$((drawn + 1)); else left_out=$((left_out + 1)); fi
}

command -v "$tool" >/dev/null || {
	echo "figures: there is no program $tool" >&2
	exit 2
}
gnuplot=yes
if ! command -v gnuplot >/dev/null; then
	gnuplot=no
	echo "figures: gnuplot was not found (Debian package gnuplot-nox): the page is without pictures" >&2
fi
: >"$data/body"
rm -f "$data/reduced.csv" # made once, by the first figure that needs it
: >"$data/contents"
for part in leok-ohsawa parks-2 parks-3 parks-4 barbero-linan de-leon convergence; do
	. "$here/$part.sh"
done
{
	cat "$here/head.html"
	test "$gnuplot" = yes || echo '<p class="refused">Without pictures: gnuplot (Debian package gnuplot-nox) was not found.</p>'
	echo '<nav><ul>'
	cat "$data/contents"
	echo '</ul></nav>'
	cat "$data/body"
	echo '</body></html>'
} >"$page"
echo "$page: $drawn figures, $left_out left out"
