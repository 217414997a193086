import type { shells } from './shells.js';

const call = 'agenttools completion suggest';

/**
 * Scripts by shell. Each asks `completion suggest` for candidates, and completes file names if the list is empty. Bash splits words at
 * characters such as ":", so that candidates lose the part before.
 */
export const scripts: Readonly<Record<Exclude<(typeof shells)[number], 'suggest'>, string>> = {
  bash: `# Completion of agenttools for bash. Add to ~/.bashrc: source <(agenttools completion bash)
_agenttools() {
  local line=\${COMP_LINE:0:COMP_POINT} words word head= found candidate
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  word=\${words[\${#words[@]}-1]}
  [[ $word == *[:=@]* ]] && head=\${word%"\${word##*[:=@]}"}
  [[ $head != *@ || $COMP_WORDBREAKS == *@* ]] || head=
  COMPREPLY=()
  while IFS=$'\\t' read -r candidate _; do
    COMPREPLY+=("\${candidate#"$head"}")
  done < <(${call} --word="$word" -- "\${words[@]:1:\${#words[@]}-2}" 2>/dev/null)
}
complete -o default -o nosort -F _agenttools agenttools 2>/dev/null || complete -o default -F _agenttools agenttools
`,
  zsh: `#compdef agenttools
# Completion of agenttools for zsh. Add to ~/.zshrc, below compinit: source <(agenttools completion zsh)
_agenttools() {
  local line value about
  local -a values shown
  while IFS=$'\\t' read -r value about; do
    values+=("$value")
    shown+=("\${value}\${about:+  -- $about}")
  done < <(${call} --word="$PREFIX" -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null)
  if (( $#values )); then
    compadd -l -V agenttools -d shown -a values
  else
    _files
  fi
}
compdef _agenttools agenttools
`,
  fish: `# Completion of agenttools for fish. Write to ~/.config/fish/completions/agenttools.fish
function __agenttools_complete
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  set -l found (${call} --word="$word" -- $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$word"
  end
end
complete -c agenttools -f -k -a '(__agenttools_complete)'
`,
  powershell: `# Completion of agenttools for PowerShell. Add to $PROFILE: agenttools completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName agenttools -ScriptBlock {
  param($word, $ast, $cursor)
  $before = @($ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.ToString() })
  ${call} "--word=$word" '--' @before 2>$null | ForEach-Object {
    $value, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}
`,
};
