# SPDX-License-Identifier: GPL-3.0-or-later
# Bash completion for boxtimes. Names of components, schemes, rules and solvers come from the program.

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

# The names that a setting takes, as the program itself lists them.
_boxtimes_choices()
{
	local name words
	while read -r name words; do
		[[ $name == "$2" ]] && printf '%s' "$words"
	done < <("$1" list --settings 2>/dev/null)
}

_boxtimes()
{
	local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous='' command='' option
	local commands='run check info compare plot list describe schema tear flatten verify'
	local model='--step --end --scheme --rule --force-rule --theta --gradient --constraint --start --projection --solver --torn --threads --set --record
		--every --allow-plugins --plugin --plugin-in-process --plugin-seconds --library
		--quiet --help'
	((COMP_CWORD > 0)) && previous=${COMP_WORDS[COMP_CWORD - 1]}
	((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
	if [[ -z $command ]]; then
		_boxtimes_offer "$commands --help --version" "$current"
		return
	fi
	# --scheme=ga comes as three words, or as one where '=' breaks no words
	if [[ $current == --*=* ]]; then
		previous=${current%%=*} option="$previous="
		current=${current#*=}
	elif [[ $current == '=' ]]; then
		current=
	elif [[ $previous == '=' ]] && ((COMP_CWORD > 2)); then
		previous=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $previous in
	--force-rule)
		_boxtimes_offer "$(_boxtimes_choices "$program" rule)" "$current"
		COMPREPLY=("${COMPREPLY[@]/#/${option-}}")
		return
		;;
	--scheme | --rule | --gradient | --constraint | --start | --projection | --solver | --torn)
		_boxtimes_offer "$(_boxtimes_choices "$program" "${previous#--}")" "$current"
		COMPREPLY=("${COMPREPLY[@]/#/${option-}}")
		return
		;;
	-L | --library)
		COMPREPLY=()
		while IFS= read -r option; do
			COMPREPLY+=("$option")
		done < <(compgen -d -- "$current")
		compopt -o filenames 2>/dev/null
		return
		;;
	--plot)
		_boxtimes_files "$current" svg png
		return
		;;
	-o | --output)
		if [[ $command == plot ]]; then
			_boxtimes_files "$current" svg png
		elif [[ $command == tear || $command == flatten ]]; then
			_boxtimes_files "$current" xml
		else
			_boxtimes_files "$current" csv
		fi
		return
		;;
	--like | --against)
		_boxtimes_files "$current" xml
		return
		;;
	--node | --elements | --parts | --names)
		if [[ $command == tear ]]; then
			COMPREPLY=()
			return
		fi
		;;
	--step | --end | --threads | --theta | --set | --plugin | --plugin-seconds | --record | --every | --map | --tol | --at | --seed | --columns | --title)
		COMPREPLY=()
		return
		;;
	esac
	if [[ $current == -* ]]; then
		case $command in
		run) _boxtimes_offer "$model --output --json" "$current" ;;
		check | info) _boxtimes_offer "$model" "$current" ;;
		compare) _boxtimes_offer "$model --output --json --map --tol --plot --columns --title" "$current" ;;
		verify) _boxtimes_offer "$model --against --hamilton-jacobi --at --seed --tol --json" "$current" ;;
		plot) _boxtimes_offer '--output --columns --title --quiet --help' "$current" ;;
		tear) _boxtimes_offer '--node --elements --parts --like --names --output --set --library --quiet --help' "$current" ;;
		flatten) _boxtimes_offer '--canonical --output --set --library --quiet --help' "$current" ;;
		list) _boxtimes_offer '--names --settings --library --quiet --help' "$current" ;;
		describe | schema) _boxtimes_offer '--library --quiet --help' "$current" ;;
		esac
		return
	fi
	case $command in
	run | check | info | compare | verify | schema | tear | flatten) _boxtimes_files "$current" xml ;;
	plot) _boxtimes_files "$current" csv ;;
	describe) _boxtimes_offer "$("$program" list --names 2>/dev/null)" "$current" ;;
	esac
}

complete -F _boxtimes boxtimes
