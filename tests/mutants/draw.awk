# SPDX-License-Identifier: GPL-3.0-or-later
# Draws mutants of C files: lines
#
#     FILE <tab> LINE <tab> OLD <tab> NEW
#
# where NEW takes the place of OLD, the whole line number LINE of FILE. At most one mutant of a line.
# Used by draw.sh:
#
#     awk -v seed=S -v count=N -v changed=FILE -v equivalent=FILE -f draw.awk FILE.c ...
#
# changed:    lines "FILE FIRST LAST": these lines are four times as likely as others
# equivalent: lines "FILE :: OLD :: NEW :: WHY", without the tabs before OLD and NEW: never drawn
#
# The sources are laid out by clang-format: binary operators stand between blanks, a function's body
# between lines that are a brace alone. Comments, strings, characters and directives of the
# preprocessor are blanked before anything is looked for; a line is mutated in its text with the
# blanks, so columns agree.

# A generator of its own (Park and Miller's): those of awks differ. From 0 to n - 1.
function random(n)
{
	state = (state * 16807) % 2147483647
	return int(state / 2147483647 * n)
}

# The code of a line, with blanks for what is none. Knows from in_comment and in_directive what the
# lines before have begun.
function code_of(line, i, n, c, quote, out)
{
	n = length(line)
	out = ""
	quote = ""
	if (!in_comment && line ~ /^[ \t]*#/)
		in_directive = 1
	for (i = 1; i <= n; i++) {
		c = substr(line, i, 1)
		if (in_comment) {
			if (substr(line, i, 2) == "*/") {
				in_comment = 0
				out = out " "
				i++
			}
			c = " "
		} else if (quote != "") {
			if (c == "\\") {
				out = out "_"
				i++
			} else if (c == quote)
				quote = ""
			c = "_"
		} else if (substr(line, i, 2) == "/*") {
			in_comment = 1
			out = out " "
			i++
			c = " "
		} else if (substr(line, i, 2) == "//") {
			while (length(out) < n)
				out = out " "
			break
		} else if (c == "\"" || c == "'") {
			quote = c
			c = "_"
		}
		out = out c
	}
	if (in_directive) {
		if (line !~ /\\$/)
			in_directive = 0
		gsub(/[^ \t]/, " ", out)
	}
	return out
}

function add_choice(new)
{
	choices = choices ? choices "\n" new : new
}

# Each place of the operator old, of a line: new in its place.
function operator(line, code, old, new, at, from, before, after)
{
	from = 1
	while ((at = index(substr(code, from), old)) > 0) {
		at += from - 1
		from = at + length(old)
		before = substr(code, at - 1, 1)
		after = substr(code, from, 1)
		if (at > 1 && before ~ /[ \t]/ && after ~ /^[ \t]?$/)
			add_choice(substr(line, 1, at - 1) new substr(line, from))
	}
}

# Another number: the next integer or the one before, twice a fraction, a thousand times a power of ten.
function other_number(text, suffix, e)
{
	suffix = text
	sub(/^[0-9.]+(e[-+]?[0-9]+)?/, "", suffix)
	text = substr(text, 1, length(text) - length(suffix))
	if (text ~ /^[0-9]+$/)
		return (text == "0" || random(2) ? text + 1 : text - 1) suffix
	e = index(text, "e")
	if (e)
		return substr(text, 1, e) (substr(text, e + 1) + 3) suffix
	if (text + 0 == 0)
		return "1.0" suffix
	text = sprintf("%.15g", 2 * text)
	return (text ~ /\./ ? text : text ".0") suffix
}

function numbers(line, code, at, from, text, before)
{
	from = 1
	while (match(substr(code, from), /[A-Za-z0-9_.]+([eE][-+][0-9]+)?/)) {
		at = from + RSTART - 1
		text = substr(code, at, RLENGTH)
		from = at + RLENGTH
		if (text !~ /^[0-9]*\.?[0-9]*(e[-+]?[0-9]+)?[uUlL]*$/ || text !~ /^\.?[0-9]/)
			continue
		add_choice(substr(line, 1, at - 1) other_number(text) substr(line, from))
	}
}

# The mutants of a line, in choices. last: the code before it, next_code: the code behind it.
function find_choices(line, code, last, next_code, inside, declares)
{
	choices = ""
	declares = code ~ /^[ \t]*((static|const|unsigned|struct|enum) )*[A-Za-z_][A-Za-z0-9_]* \**[A-Za-z_]/ &&
		code !~ /^[ \t]*(return|else|case|goto|sizeof) /
	if (inside) {
		operator(line, code, "<", "<=")
		operator(line, code, "<=", "<")
		operator(line, code, ">", ">=")
		operator(line, code, ">=", ">")
		operator(line, code, "==", "!=")
		operator(line, code, "!=", "==")
		operator(line, code, "&&", "||")
		operator(line, code, "||", "&&")
		operator(line, code, "+", "-")
		operator(line, code, "-", "+")
		operator(line, code, "+=", "-=")
		operator(line, code, "-=", "+=")
		operator(line, code, "*", "/")
		operator(line, code, "/", "*")
	}
	# more memory than needed is no mistake, nor is a longer array
	if (code !~ /alloc|_grow|_reserve|BXT_NEW/ && !(declares && code ~ /\[[^]=]*[0-9]/ && code !~ /=/) &&
	    (inside || code !~ /\(/))
		numbers(line, code)
	# a statement that is one line; without freeing it only leaks, and what ends a function stays
	if (inside && !declares && code ~ /;[ \t]*$/ && code !~ /^[ \t]*;/ && code !~ /[{}]|free\(|_free|for \(/ &&
	    last ~ /[;{}:)]$|^[ \t]*else$|else$|do$/ && code !~ /^[ \t]*(if|while|switch|else|case|default|typedef)[ (]/ &&
	    !(code ~ /^[ \t]*(return|goto)/ && next_code ~ /^}/)) {
		match(line, /^[ \t]*/)
		add_choice(substr(line, 1, RLENGTH) ";")
	}
}

function trimmed(text)
{
	sub(/^[ \t]+/, "", text)
	return text
}

# The lines of the file before become candidates.
function end_file(i, j, last, code, inside)
{
	last = ""
	inside = 0
	for (i = 1; i <= n_lines; i++) {
		code = codes[i]
		if (code ~ /^[{]/)
			inside = last ~ /\)$/
		else if (code ~ /^}/)
			inside = 0
		if (code ~ /[^ \t]/) {
			for (j = i + 1; j <= n_lines && codes[j] !~ /[^ \t]/;)
				j++
			find_choices(lines[i], code, last, codes[j], inside)
			if (choices != "")
				candidate(file, i, lines[i])
			last = code
			sub(/[ \t]+$/, "", last)
		}
	}
	n_lines = 0
}

function candidate(file, i, line, c, n, kept, new)
{
	n = split(choices, c, "\n")
	kept = ""
	while (n > 0) {
		new = c[n--]
		if (new != line && !((file, trimmed(line), trimmed(new)) in known))
			kept = kept == "" ? new : kept "\n" new
	}
	if (kept == "")
		return
	n_candidates++
	place[n_candidates] = file "\t" i "\t" line
	options[n_candidates] = kept
	for (n = (file, i) in is_changed ? 4 : 1; n > 0; n--)
		tickets[n_tickets++] = n_candidates
}

BEGIN {
	state = seed % 2147483646 + 1
	for (j = 0; j < 10; j++) # small seeds begin with small numbers
		random(1)
	while (changed != "" && (getline row < changed) > 0) {
		split(row, part, " ")
		for (j = part[2]; j <= part[3]; j++)
			is_changed[part[1], j]
	}
	while (equivalent != "" && (getline row < equivalent) > 0)
		if (row !~ /^#/ && split(row, part, " :: ") == 4)
			known[part[1], part[2], part[3]]
}
FNR == 1 {
	end_file()
	file = FILENAME
	in_comment = 0
	in_directive = 0
}
{
	lines[++n_lines] = $0
	codes[n_lines] = code_of($0)
}
END {
	end_file()
	while (count > 0 && n_tickets > 0) {
		j = random(n_tickets)
		i = tickets[j]
		tickets[j] = tickets[--n_tickets]
		if (i in drawn)
			continue
		drawn[i]
		n = split(options[i], part, "\n")
		print place[i] "\t" part[1 + random(n)]
		count--
	}
}
