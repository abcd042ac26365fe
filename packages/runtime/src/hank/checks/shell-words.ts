/** A word of a shell command. */
export interface Word {
  /** Without its quotes. */
  readonly text: string
  /** The same, but with `\` before every `~`, `*` and `$` that the quotes keep the shell from replacing. */
  readonly live: string
}

/** A command with its arguments, cut out of a line with several. */
export interface SimpleCommand {
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
  let at = 0
  while (at < line.length) at = take(line, at, cutter)
  cutter.endCommand(false)
  return cutter.commands
}

interface Cutter {
  readonly commands: SimpleCommand[]
  /** `kept`: the characters that the shell replaces elsewhere but takes as they are here. */
  put(text: string, kept?: RegExp): void
  /** Makes a word of nothing (`''`) count. */
  openWord(): void
  isInWord(): boolean
  endWord(): void
  startWrite(): void
  endCommand(endsGroup: boolean): void
}

/** Takes what begins at `at` and says where to go on. */
function take(line: string, at: number, cutter: Cutter): number {
  const char = line.charAt(at)
  const next = line.charAt(at + 1)
  switch (char) {
    case "'":
    case '"':
      return takeQuoted(line, at, cutter)
    case '\\':
      if (next !== '\n') cutter.put(next, replaced)
      return at + 2
    case ' ':
    case '\t':
    case '\r':
      cutter.endWord()
      return at + 1
    case '>':
      cutter.startWrite()
      return at + (next === '>' || next === '|' || next === '&' ? 2 : 1)
    case '&':
      if (next !== '>') cutter.endCommand(false)
      return at + 1
    case '#':
      if (!cutter.isInWord()) return endOfLine(line, at)
      break
    case ';':
    case '|':
    case '\n':
    case '(':
    case '`':
    case ')':
      cutter.endCommand(char === ')')
      return at + 1
  }
  plain.lastIndex = at
  const run = plain.exec(line)?.[0] ?? char
  cutter.put(run)
  return at + run.length
}

/** What the shell replaces, and what it leaves alone of that between double quotes. */
const replaced = /[~*$]/g
const replacedUnquoted = /[~*]/g

/** As many characters as possible that mean nothing to `take`. */
const plain = /[^'"\\ \t\r\n>&#;|()`]+/y

function takeQuoted(line: string, start: number, cutter: Cutter): number {
  const quote = line.charAt(start)
  cutter.openWord()
  if (quote === "'") {
    const end = indexOf(line, quote, start + 1)
    cutter.put(line.slice(start + 1, end), replaced)
    return end + 1
  }
  let at = start + 1
  while (at < line.length && line.charAt(at) !== quote) {
    if (line.charAt(at) === '\\' && at + 1 < line.length) {
      cutter.put(line.charAt(at + 1), replaced)
      at += 2
      continue
    }
    quotable.lastIndex = at
    const run = quotable.exec(line)?.[0] ?? line.charAt(at)
    cutter.put(run, replacedUnquoted)
    at += run.length
  }
  return at + 1
}

const quotable = /[^"\\]+/y

function endOfLine(line: string, at: number): number {
  return indexOf(line, '\n', at)
}

/** The end of the line when it is not there. */
function indexOf(line: string, text: string, from: number): number {
  const at = line.indexOf(text, from)
  return at === -1 ? line.length : at
}

function createCutter(): Cutter {
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
    put(text, kept) {
      word ??= { text: '', live: '' }
      word.text += text
      word.live += kept ? text.replace(kept, '\\$&') : text
    },
    openWord() {
      word ??= { text: '', live: '' }
    },
    isInWord: () => word !== undefined,
    endWord,
    startWrite() {
      // The number before `>` is a descriptor, not a word.
      if (word && /^\d$/.test(word.text)) word = undefined
      endWord()
      isWrite = true
    },
    endCommand(endsGroup) {
      endWord()
      isWrite = false
      if (words.length > 0 || writes.length > 0 || endsGroup) commands.push({ words, writes, endsGroup })
      words = []
      writes = []
    },
  }
}

/** One command that a line runs. */
interface Command {
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
