# SPDX-License-Identifier: Apache-2.0
# Completion for fish. The program itself knows what can follow (litmus complete). To have it:
#   source tools/completion/litmus.fish

function __litmus_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] $current 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (string replace -r '^--[^=]*=' '' -- $current)
            case :folders
                __fish_complete_directories (string replace -r '^--[^=]*=' '' -- $current)
            case '*'
                echo $line
        end
    end
end

complete -c litmus -f -a '(__litmus_complete)'
