# SPDX-License-Identifier: GPL-3.0-or-later
# Bash completion for boxtimes. All words come from the program: `boxtimes reference commands` and
# `boxtimes reference options COMMAND` say what there is, and what each is followed by.

_boxtimes_offer()
{
	local word
	COMPREPLY=()
	while IFS= read -r word; do
		COMPREPLY+=("$word")
	done < <(compgen -W "$1" -- "$2")
}

# Files with one of the given endings, and folders.
_boxtimes_files()
{
	local word ending
	COMPREPLY=()
	while IFS= read -r word; do
		if [[ -d $word ]]; then
			COMPREPLY+=("$word")
			continue
		fi
		for ending in "${@:2}"; do
			[[ $word == *."$ending" ]] && COMPREPLY+=("$word")
		done
	done < <(compgen -f -- "$1")
	compopt -o filenames 2>/dev/null
}

# _boxtimes_line NAME: what follows NAME in the lines read; fails when there is no such line
_boxtimes_line()
{
	local name words
	while read -r name words; do
		[[ $name == "$1" ]] && printf '%s' "$words" && return
	done
	return 1
}

# _boxtimes_value PROGRAM WHAT WORD: WHAT as the program's reference says it
_boxtimes_value()
{
	local endings
	COMPREPLY=()
	case $2 in
	-) ;;
	=*) _boxtimes_offer "${2#=}" "$3" ;;
	@/) _boxtimes_files "$3" ;;
	@components) _boxtimes_offer "$("$1" list --names 2>/dev/null)" "$3" ;;
	@*) _boxtimes_offer "$("$1" list --settings 2>/dev/null | _boxtimes_line "${2#@}")" "$3" ;;
	*)
		read -ra endings <<<"$2"
		_boxtimes_files "$3" "${endings[@]}"
		;;
	esac
}

_boxtimes()
{
	local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous='' command='' option
	local commands options what
	((COMP_CWORD > 0)) && previous=${COMP_WORDS[COMP_CWORD - 1]}
	((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
	commands=$("$program" reference commands 2>/dev/null)
	if [[ -z $command ]]; then
		_boxtimes_offer "$(cut -d ' ' -f 1 <<<"$commands") --help --version" "$current"
		return
	fi
	COMPREPLY=()
	options=$("$program" reference options "$command" 2>/dev/null) || return
	# --scheme=ga comes as three words, or as one where '=' breaks no words
	if [[ $current == --*=* ]]; then
		previous=${current%%=*} option="$previous="
		current=${current#*=}
	elif [[ $current == '=' ]]; then
		current=
	elif [[ $previous == '=' ]] && ((COMP_CWORD > 2)); then
		previous=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if [[ $previous == -* ]] && what=$(_boxtimes_line "$previous" <<<"$options") && [[ $what ]]; then
		_boxtimes_value "$program" "$what" "$current"
		COMPREPLY=("${COMPREPLY[@]/#/${option-}}")
	elif [[ $current == -* ]]; then
		_boxtimes_offer "$(cut -d ' ' -f 1 <<<"$options" | grep '^--')" "$current"
	else
		_boxtimes_value "$program" "$(_boxtimes_line "$command" <<<"$commands")" "$current"
	fi
}

complete -F _boxtimes boxtimes
