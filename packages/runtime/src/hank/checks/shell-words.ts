/** A word of a shell command. */
export interface Word {
  /** Without its quotes. */
  readonly text: string
  /** The same, but with `\` before every `~`, `*` and `$` that the quotes keep the shell from replacing. */
  readonly live: string
}

/** A command with its arguments, cut out of a line with several. */
interface SimpleCommand {
  readonly words: readonly Word[]
  /** Files that its output is redirected to. */
  readonly writes: readonly Word[]
  /** Whether it is the last of a `( … )`, whose change of directory ends there. */
  readonly endsGroup: boolean
}

/**
 * Cuts a command line into simple commands, the way a POSIX shell does as far as a person skimming it would care. Takes
 * any text, never throws, and reads it once from front to back. What stands in double quotes is not looked into.
 */
function simpleCommands(line: string): readonly SimpleCommand[] {
  const cutter = createCutter()
  token.lastIndex = 0
  for (let match = token.exec(line); match; match = token.exec(line)) {
    const { single, double, escaped, blank, write, end, hash, plain } = match.groups ?? {}
    if (single !== undefined) cutter.put(single, replaced)
    else if (double !== undefined) putDoubleQuoted(double, cutter)
    else if (escaped !== undefined) {
      if (escaped !== '\n') cutter.put(escaped, replaced)
    } else if (write !== undefined) cutter.startWrite()
    else if (end !== undefined) cutter.endCommand(end === ')')
    else if (plain !== undefined) cutter.put(plain)
    else if (blank !== undefined) cutter.endWord()
    else if (hash !== undefined && cutter.isInWord()) {
      cutter.put('#')
      token.lastIndex = match.index + 1
    }
  }
  cutter.endCommand(false)
  return cutter.commands
}

/** Whatever a line can go on with; without a name the `&` of `&>`, which says nothing that `>` does not say. */
const token =
  /'(?<single>[^']*)'?|"(?<double>(?:[^"\\]+|\\[\s\S])*\\?)"?|\\(?<escaped>[\s\S]?)|(?<blank>[ \t\r]+)|(?<write>>[>|&]?)|&(?=>)|(?<end>[&;|\n()`])|(?<hash>#[^\n]*)|(?<plain>[^'"\\ \t\r\n>&#;|()`]+)/y

/** What the shell replaces, and what it leaves alone of that between double quotes. */
const replaced = /[~*$]/g
const replacedUnquoted = /[~*]/g

function putDoubleQuoted(text: string, cutter: ReturnType<typeof createCutter>): void {
  cutter.put('')
  for (const [part, escaped] of text.matchAll(/\\([\s\S])|[^\\]+|\\/g)) {
    if (escaped === undefined) cutter.put(part, replacedUnquoted)
    else cutter.put(escaped, replaced)
  }
}

function createCutter() {
  const commands: SimpleCommand[] = []
  let words: Word[] = []
  let writes: Word[] = []
  let word: { text: string; live: string } | undefined
  let isWrite = false

  const endWord = () => {
    if (!word) return
    if (isWrite) writes.push(word)
    else words.push(word)
    word = undefined
    isWrite = false
  }
  return {
    commands,
    /** Nothing makes a word, too. `kept`: what the shell replaces elsewhere but takes as it is here. */
    put(text: string, kept?: RegExp): void {
      word ??= { text: '', live: '' }
      word.text += text
      word.live += kept ? text.replace(kept, '\\$&') : text
    },
    isInWord: () => word !== undefined,
    endWord,
    startWrite() {
      // The number before `>` is a descriptor, not a word.
      if (word && /^\d$/.test(word.text)) word = undefined
      endWord()
      isWrite = true
    },
    endCommand(endsGroup: boolean) {
      endWord()
      isWrite = false
      if (words.length > 0 || writes.length > 0 || endsGroup) commands.push({ words, writes, endsGroup })
      words = []
      writes = []
    },
  }
}

/** One command that a line runs. */
interface Command extends Omit<SimpleCommand, 'words'> {
  /** In lower case, without its directory and ending; '' for a mere redirection. */
  readonly name: string
  readonly args: readonly Word[]
}

/**
 * The commands of a line in their order, those behind wrappers (`sudo -u me rm`) and in scripts (`sh -c "rm …"`) included.
 * Where a wrapper has options, the command is the first word that `isKnown`. Never throws.
 */
export function commandsIn(line: string, isKnown: (name: string) => boolean, depth = 0): readonly Command[] {
  return simpleCommands(line).flatMap(({ words, ...rest }) => {
    const command = { ...unwrap(words, isKnown), ...rest }
    const script = depth < deepest ? scriptOf(command) : undefined
    if (script === undefined) return [command]
    // What a shell inside does to its directory ends with it; `eval` is the rare exception and not worth a rule.
    const end: Command = { name: '', args: [], writes: [], endsGroup: true }
    return [command, ...commandsIn(script, isKnown, depth + 1), end]
  })
}

/** `sh -c "sh -c …"` is followed so deep. */
const deepest = 3

const wrappers = new Set(
  [
    ['!', '{', 'if', 'then', 'else', 'do', 'while', 'until'],
    ['builtin', 'command', 'env', 'exec', 'ionice', 'nice', 'nohup', 'stdbuf', 'time', 'timeout'],
    ['busybox', 'doas', 'npx', 'sudo', 'xargs'],
  ].flat(),
)

function unwrap(words: readonly Word[], isKnown: (name: string) => boolean): Pick<Command, 'name' | 'args'> {
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
