import { simpleCommands, type Word } from './shell-words.ts'

/** One command that a line runs. */
export interface Command {
  /** In lower case, without its directory and ending; '' for a mere redirection. */
  readonly name: string
  readonly args: readonly Word[]
  /** Files that its output is redirected to. */
  readonly writes: readonly Word[]
  /** Whether a change of directory made so far ends after it. */
  readonly endsGroup: boolean
}

/**
 * The commands of a line in their order, those behind wrappers (`sudo -u me rm`) and in scripts (`sh -c "rm …"`) included.
 * Where a wrapper has options, the command is the first word that `isKnown`. Never throws.
 */
export function commandsIn(line: string, isKnown: (name: string) => boolean): readonly Command[] {
  return commandsAt(line, { isKnown, depth: 0 })
}

interface Search {
  readonly isKnown: (name: string) => boolean
  readonly depth: number
}

/** `sh -c "sh -c …"` is followed so deep. */
const deepest = 3

function commandsAt(line: string, search: Search): readonly Command[] {
  return simpleCommands(line).flatMap(({ words, writes, endsGroup }) => {
    const command = { ...unwrap(words, search), writes, endsGroup }
    const script = search.depth < deepest ? scriptOf(command) : undefined
    if (script === undefined) return [command]
    const inner = commandsAt(script, { ...search, depth: search.depth + 1 })
    // What a shell inside does to its directory ends with it; `eval` is the rare exception and not worth a rule.
    return [command, ...inner, { name: '', args: [], writes: [], endsGroup: true }]
  })
}

const wrappers = new Set(
  [
    ['!', '{', 'if', 'then', 'else', 'do', 'while', 'until'],
    ['builtin', 'command', 'env', 'exec', 'ionice', 'nice', 'nohup', 'stdbuf', 'time', 'timeout'],
    ['busybox', 'doas', 'npx', 'sudo', 'xargs'],
  ].flat(),
)

function unwrap(words: readonly Word[], { isKnown }: Search): Pick<Command, 'name' | 'args'> {
  const start = words.findIndex(({ text }) => !/^[A-Za-z_]\w*=/.test(text))
  const isStart = (name: string) => isKnown(name) || shells.has(name)
  const wraps = wrappers.has(nameOf(words[start]))
  const at = wraps ? words.findIndex((word, index) => index > start && isStart(nameOf(word))) : start
  return at === -1 ? { name: '', args: [] } : { name: nameOf(words[at]), args: words.slice(at + 1) }
}

/** `/bin/RM.exe` is `rm`. */
function nameOf(word: Word | undefined): string {
  const path = word?.text ?? ''
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return name.replace(/\.(?:exe|com|cmd)$/, '')
}

interface Shell {
  readonly flag: RegExp
  /** Whether the script is the one word after the flag or all that follows it. */
  readonly takes: 'word' | 'rest'
}

const posixShell: Shell = { flag: /^-[a-z]*c$/, takes: 'word' }
const powerShell: Shell = { flag: /^-c(?:ommand)?$/i, takes: 'rest' }

const shells: ReadonlyMap<string, Shell> = new Map([
  ...['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish', 'su'].map(name => [name, posixShell] as const),
  ['powershell', powerShell],
  ['pwsh', powerShell],
  ['cmd', { flag: /^\/[ck]$/i, takes: 'rest' }],
])

function scriptOf({ name, args }: Command): string | undefined {
  const texts = args.map(({ text }) => text)
  if (name === 'eval') return texts.join(' ')
  const shell = shells.get(name)
  if (!shell) return undefined
  const flag = texts.findIndex(text => shell.flag.test(text))
  if (flag === -1) return undefined
  return shell.takes === 'word' ? texts[flag + 1] : texts.slice(flag + 1).join(' ')
}
