# SPDX-License-Identifier: Apache-2.0
# Completion for bash. The program itself knows what can follow (litmus complete). To have it:
#   source tools/completion/litmus.bash

_litmus() {
    # Names of configurations hold = , @ and :, at which bash may cut words: cut at blanks instead.
    local line=${COMP_LINE:0:COMP_POINT} current='' words candidates kept prefix i
    read -ra words <<<"$line"
    if [[ $line != *[[:blank:]] ]]; then
        current=${words[-1]}
        unset 'words[-1]'
    fi
    current=${current#[\'\"]}
    mapfile -t candidates < <("${words[0]}" complete -- "${words[@]:1}" "$current" 2>/dev/null)
    COMPREPLY=()
    for ((i = 0; i < ${#candidates[@]}; i++)); do
        case ${candidates[i]} in
        :files) mapfile -t kept < <(compgen -f -- "${current##*=}") ;;
        :folders) mapfile -t kept < <(compgen -d -- "${current##*=}") ;;
        *) kept=("${candidates[i]%%$'\t'*}") ;;
        esac
        COMPREPLY+=("${kept[@]}")
    done
    # What bash has cut off the word already is not to be typed again.
    prefix=${current%"${current##*["$COMP_WORDBREAKS"]}"}
    case ${candidates[0]-} in
    :files | :folders) ;;
    *) COMPREPLY=("${COMPREPLY[@]#"$prefix"}") ;;
    esac
}

complete -F _litmus litmus ./litmus
