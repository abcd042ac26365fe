import type { CompletedCommand, CompletedFlag, CompletionModel } from './completion-model.ts'

/** A script for bash 3.2 and newer that needs no other package. Every name in it is one of ours: letters and dashes. */
export function bashScript({ commands, ofRun }: CompletionModel): string {
  const names = commands.map(({ name }) => name).join(' ')
  return `# weave: completion for bash
_weave() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command=run flags words
  local first="\${COMP_WORDS[1]}"
  [[ $COMP_CWORD -gt 1 ]] && case "$first" in
    ${commands.map(({ name }) => name).join('|')}) command="$first" ;;
  esac
  case "$command" in
${[ofRun, ...commands].map(commandCase).join('\n')}
  esac
  case "$command:$previous" in
${[ofRun, ...commands].flatMap(valueCases).join('\n')}
  esac
  COMPREPLY=()
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ -n "$words" ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    [[ $COMP_CWORD -eq 1 ]] && COMPREPLY=($(compgen -W "${names}" -- "$current"))
    local IFS=$'\\n'
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _weave weave
`
}

function commandCase({ name, flags, words }: CompletedCommand): string {
  const all = flags.flatMap(spellings).join(' ')
  return `    ${name}) flags="${all}" words="${words.join(' ')}" ;;`
}

function spellings({ name, short }: CompletedFlag): readonly string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]
}

function valueCases({ name, flags }: CompletedCommand): readonly string[] {
  return flags.flatMap(flag => {
    if (flag.takes === 'nothing') return []
    const patterns = spellings(flag).map(spelling => `${name}:${spelling}`)
    return [`    ${patterns.join('|')}) ${answer(flag)}; return ;;`]
  })
}

function answer({ takes, words }: CompletedFlag): string {
  if (words.length > 0) return `COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$current"))`
  if (takes === 'text') return 'COMPREPLY=()'
  return `local IFS=$'\\n'; COMPREPLY=($(compgen -${takes === 'file' ? 'f' : 'd'} -- "$current"))`
}
