import { isAsked } from './complete.ts'
import { type Flag, type FlagName, flags, wordOf } from './flags.ts'
import type { Arguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes } from './program.ts'
import type { Terminal } from './terminal.ts'

const scripts: Readonly<Record<string, (model: CompletionModel) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: () => powershellScript,
}

/** `weave completion <shell>`: prints a script; what to do with it stands in the message for those who forgot the shell. */
export function createCompletionCommand(words: CommandWords) {
  return async ({ positionals }: Arguments, terminal: Terminal): Promise<ExitCode> => {
    const [shell = '', ...more] = positionals
    const script = Object.hasOwn(scripts, shell) && more.length === 0 ? scripts[shell] : undefined
    if (!script) {
      for (const line of usage) terminal.error(line)
      return exitCodes.usage
    }
    terminal.out(script(completionModel(words)).trimEnd())
    return exitCodes.done
  }
}

const usage = [
  'Say for which shell, and where it should go:',
  '',
  '  bash  weave completion bash > ~/.local/share/bash-completion/completions/weave',
  '  zsh   weave completion zsh > "$fpath[1]/_weave"',
  '  fish  weave completion fish > ~/.config/fish/completions/weave.fish',
  '  powershell  weave completion powershell >> $PROFILE',
  '',
  'Or for this shell only: source <(weave completion bash)',
]

/** The table of commands, as far as it is words. Handed in: the table itself loads this. */
interface CommandWords {
  readonly commands: Readonly<Record<string, CommandRow>>
  /** The one that has no word of its own. */
  readonly defaultCommand: string
}

interface CommandRow {
  readonly usage: string
  readonly summary: string
  readonly flags: readonly FlagName[]
  readonly hidden?: true
}

/** What a shell can offer, read off the tables of commands and flags. */
export interface CompletionModel {
  readonly commands: readonly CompletedCommand[]
  /** Of a run, which has no word of its own. */
  readonly ofRun: CompletedCommand
}

export interface CompletedCommand {
  readonly name: string
  readonly summary: string
  readonly flags: readonly CompletedFlag[]
  /** What may stand after it: `<a|b>` of its usage. Empty: a file. */
  readonly words: readonly string[]
  /** Things on this machine may stand after it, for which the shell asks `weave complete`. */
  readonly isAsked: boolean
}

export interface CompletedFlag {
  readonly name: string
  readonly short?: string
  readonly summary: string
  readonly takes: 'nothing' | 'file' | 'directory' | 'text'
  /** What its value can be, when that is known. */
  readonly words: readonly string[]
  /** Its value is a thing on this machine, for which the shell asks `weave complete`. */
  readonly isAsked: boolean
}

function completionModel({ commands, defaultCommand }: CommandWords): CompletionModel {
  const visible = Object.entries(commands).filter(([, { hidden }]) => !hidden)
  const completed = visible.map(([name, row]) => completedCommand(name, row))
  const ofRun = completed.find(({ name }) => name === defaultCommand)
  return {
    commands: completed.filter(({ name }) => name !== defaultCommand),
    ofRun: ofRun ?? { name: defaultCommand, summary: '', flags: [], words: [], isAsked: false },
  }
}

function completedCommand(name: string, { summary, usage, flags: names }: CommandRow): CompletedCommand {
  const words = /<([\w-]+(?:\|[\w-]+)+)>/.exec(usage)?.[1]?.split('|') ?? []
  return { name, summary, words, flags: names.flatMap(completedFlag), isAsked: isAsked({ usage }) }
}

function completedFlag(name: FlagName): readonly CompletedFlag[] {
  const flag: Flag = flags[name]
  if (flag.hidden) return []
  const { short, summary, value } = flag
  const words = value === 'level' ? ['debug', 'info', 'warn', 'error'] : []
  const takes = takenBy(flag)
  return [
    {
      name: wordOf(name),
      ...(short !== undefined && { short }),
      summary,
      takes,
      words,
      isAsked: isAsked({ flag: name }),
    },
  ]
}

function takenBy({ kind, value }: Flag): CompletedFlag['takes'] {
  if (kind === 'switch') return 'nothing'
  if (value === 'file') return 'file'
  return value === 'dir' || value === 'execution' ? 'directory' : 'text'
}

/** A script for bash 3.2 and newer that needs no other package. Every name in it is one of ours: letters and dashes. */
function bashScript({ commands, ofRun }: CompletionModel): string {
  const names = commands.map(({ name }) => name).join(' ')
  return `# weave: completion for bash
_weave_asked() {
  COMPREPLY=($(compgen -W "$(weave complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "$current"))
}
_weave() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command=run flags words asked
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
  elif [[ -n "$words" && $COMP_CWORD -eq 2 ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    [[ -n "$asked" ]] && _weave_asked
    [[ $COMP_CWORD -eq 1 ]] && COMPREPLY=($(compgen -W "${names}" -- "$current"))
    local IFS=$'\\n'
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _weave weave
`
}

function commandCase({ name, flags, words, isAsked }: CompletedCommand): string {
  const all = flags.flatMap(spellings).join(' ')
  return `    ${name}) flags="${all}" words="${words.join(' ')}" asked="${isAsked ? 'yes' : ''}" ;;`
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

function answer({ takes, words, isAsked }: CompletedFlag): string {
  if (isAsked && takes === 'text') return '_weave_asked'
  if (isAsked) return `_weave_asked; local IFS=$'\\n'; COMPREPLY+=($(compgen -d -- "$current"))`
  if (words.length > 0) return `COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$current"))`
  if (takes === 'text') return 'COMPREPLY=()'
  return `local IFS=$'\\n'; COMPREPLY=($(compgen -${takes === 'file' ? 'f' : 'd'} -- "$current"))`
}

/** A script for fish: one line for each thing that can be offered, with what it is for. */
function fishScript({ commands, ofRun }: CompletionModel): string {
  const names = commands.map(({ name }) => name).join(' ')
  const none = `not __fish_seen_subcommand_from ${names}`
  const own = commands.map(
    ({ name, summary }) => `complete -c weave -n '__fish_use_subcommand' -a ${name} -d ${quoted(summary)}`,
  )
  const rest = commands.flatMap(command =>
    commandLines(command, `__fish_seen_subcommand_from ${command.name}`),
  )
  return `${['# weave: completion for fish', ...own, ...commandLines(ofRun, none), ...rest].join('\n')}\n`
}

function commandLines({ flags, words, isAsked }: CompletedCommand, when: string): readonly string[] {
  const begin = `complete -c weave -n '${when}'`
  const asked = isAsked ? [`${begin} -a ${quoted(fishAsked)}`] : []
  const positional = words.length > 0 ? [`${begin} -f -a ${quoted(words.join(' '))}`] : []
  return [...positional, ...asked, ...flags.map(flag => `${begin} ${flagWords(flag)}`)]
}

/** All words of the line, the one being written last. */
const fishAsked = '(weave complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'

function flagWords({ name, short, summary, takes, words, isAsked }: CompletedFlag): string {
  const values = {
    nothing: [],
    file: ['-r', '-F'],
    directory: ['-x', '-a', "'(__fish_complete_directories)'"],
    text: ['-x', ...(words.length > 0 ? ['-a', quoted(words.join(' '))] : [])],
  }[takes]
  const spellings = ['-l', name, ...(short === undefined ? [] : ['-s', short])]
  const asked = isAsked ? ['-a', quoted(fishAsked)] : []
  return [...spellings, ...values, ...asked, '-d', quoted(summary)].join(' ')
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}

/** A script for zsh: a function for its completion system, which says what each thing is for. */
function zshScript({ commands, ofRun }: CompletionModel): string {
  const described = commands.map(({ name, summary }) => `    ${zshQuoted(`${name}:${summary}`)}`)
  return `#compdef weave
_weave_asked() {
  local -a found
  found=(\${(f)"$(weave complete -- "\${(@)line}" 2>/dev/null)"})
  (( $#found )) && compadd -a found
}
_weave() {
  local -a commands line
  line=("\${(@)words[2,CURRENT]}")
  commands=(
${described.join('\n')}
  )
  if (( CURRENT > 2 )); then
    case "$words[2]" in
${commands.map(zshCase).join('\n')}
    esac
  fi
  (( CURRENT == 2 )) && [[ "$words[2]" != -* ]] && _describe -t commands command commands
  _arguments -s \\
${argumentLines(ofRun)}
}
if [[ "$funcstack[1]" == _weave ]]; then _weave "$@"; else compdef _weave weave; fi
`
}

function zshCase(command: CompletedCommand): string {
  return `      ${command.name})
        shift words; (( CURRENT-- ))
        _arguments -s \\
${argumentLines(command)}
        return ;;`
}

function argumentLines({ flags, words, isAsked }: CompletedCommand): string {
  const files = isAsked ? '*:word:_weave_asked' : '*:file:_files'
  const rest = words.length > 0 && !isAsked ? `*:word:(${words.join(' ')})` : files
  return [...flags.flatMap(flagLines), zshQuoted(rest)].map(line => `          ${line}`).join(' \\\n')
}

function flagLines({ name, short, summary, takes, words, isAsked }: CompletedFlag): readonly string[] {
  const value = isAsked ? ':value:_weave_asked' : action(takes, words)
  const tail = `[${summary.replace(/[[\]:]/g, '\\$&')}]${value}`
  const spellings = short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]
  return spellings.map(spelling => zshQuoted(`${spelling}${tail}`))
}

function action(takes: CompletedFlag['takes'], words: readonly string[]): string {
  if (takes === 'nothing') return ''
  if (words.length > 0) return `:value:(${words.join(' ')})`
  if (takes === 'text') return ':value: '
  return takes === 'file' ? ':file:_files' : ':directory:_files -/'
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** For PowerShell, which asks for everything: it has no files for others to keep current. */
const powershellScript = `# weave: completion for PowerShell
Register-ArgumentCompleter -Native -CommandName weave -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  $current = if ($wordToComplete) { $wordToComplete } else { "''" }
  weave complete '--' @before $current 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`
