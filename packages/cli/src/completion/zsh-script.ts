import type { CompletedCommand, CompletedFlag, CompletionModel } from './completion-model.ts'

/** A script for zsh: a function for its completion system, which says what each thing is for. */
export function zshScript({ commands, ofRun }: CompletionModel): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`)
  return `#compdef weave
_weave() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT > 2 )); then
    case "$words[2]" in
${commands.map(commandCase).join('\n')}
    esac
  fi
  (( CURRENT == 2 )) && [[ "$words[2]" != -* ]] && _describe -t commands command commands
  _arguments -s \\
${argumentLines(ofRun)}
}
if [[ "$funcstack[1]" == _weave ]]; then _weave "$@"; else compdef _weave weave; fi
`
}

function commandCase(command: CompletedCommand): string {
  return `      ${command.name})
        shift words; (( CURRENT-- ))
        _arguments -s \\
${argumentLines(command)}
        return ;;`
}

function argumentLines({ flags, words }: CompletedCommand): string {
  const rest = words.length > 0 ? `*:word:(${words.join(' ')})` : '*:file:_files'
  return [...flags.flatMap(flagLines), quoted(rest)].map(line => `          ${line}`).join(' \\\n')
}

function flagLines({ name, short, summary, takes, words }: CompletedFlag): readonly string[] {
  const tail = `[${summary.replace(/[[\]:]/g, '\\$&')}]${action(takes, words)}`
  const spellings = short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]
  return spellings.map(spelling => quoted(`${spelling}${tail}`))
}

function action(takes: CompletedFlag['takes'], words: readonly string[]): string {
  if (takes === 'nothing') return ''
  if (words.length > 0) return `:value:(${words.join(' ')})`
  if (takes === 'text') return ':value: '
  return takes === 'file' ? ':file:_files' : ':directory:_files -/'
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
