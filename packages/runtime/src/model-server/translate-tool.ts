import { isAbsolute, join } from 'node:path'
import type { ToolUse } from './answer.ts'
import type { ToolDeclaration } from './model-request.ts'

type Translation =
  | { readonly ok: true; readonly name: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly message: string }

interface TranslationContext {
  /** What the request offers. */
  readonly declarations: readonly ToolDeclaration[]
  /** Where relative paths begin, as far as known. */
  readonly cwd: string | undefined
}

/** TABLE of what agents call the four tools, in lower case, the one that fits best first. */
const names: Readonly<Record<ToolUse['use'], readonly string[]>> = {
  read: ['read', 'read_file'],
  write: ['write', 'write_file'],
  edit: ['edit', 'replace'],
  bash: ['bash', 'run_shell_command', 'exec_command', 'shell_command'],
}

/** Every name of a tool with which an agent works. */
export const workTools: ReadonlySet<string> = new Set([
  ...Object.values(names).flat(),
  'apply_patch',
  'shell',
])

/**
 * A tool use in the words of the agent that asks. Which words these are is told by the tools that the request declares: one
 * takes `file_path`, which must be absolute, another `path`. An agent without tools for files gets a line for its shell.
 */
export function translateTool(use: ToolUse, { declarations, cwd }: TranslationContext): Translation {
  const named = (kind: ToolUse['use']) =>
    names[kind].flatMap(name => declarations.find(tool => tool.name.toLowerCase() === name) ?? [])[0]
  const tool = named(use.use)
  const shell = named('bash')
  if (use.use === 'bash')
    return shell
      ? commandFor(shell, use.input.command)
      : refused(`The script uses "bash", and the request offers no such tool.`)
  if (!tool)
    return shell
      ? commandFor(shell, shellLine(use))
      : refused(`The script uses "${use.use}", and the request offers no such tool.`)
  return fileUse(use, tool, cwd)
}

function refused(message: string): Translation {
  return { ok: false, message }
}

type FileUse = Exclude<ToolUse, { readonly use: 'bash' }>

function commandFor({ name, fields }: ToolDeclaration, command: string): Translation {
  const field = fields.includes('cmd') && !fields.includes('command') ? 'cmd' : 'command'
  // One agent refuses a command without it.
  const description =
    name === 'bash' && fields.includes('description') ? { description: 'Runs a command' } : {}
  return { ok: true, name, input: { [field]: command, ...description } }
}

/** The first of a tool's own words for a thing. */
function wordIn({ fields }: ToolDeclaration, words: readonly string[]): string {
  return words.find(word => fields.includes(word)) ?? words[0] ?? ''
}

function fileUse(use: FileUse, tool: ToolDeclaration, cwd: string | undefined): Translation {
  const { name } = tool
  const pathWord = wordIn(tool, ['path', 'file_path', 'filePath', 'absolute_path'])
  const { path } = use.input
  const isWhole = pathWord === 'path' || isAbsolute(path)
  if (!isWhole && cwd === undefined)
    return refused(`The tool "${name}" wants an absolute path, and the working directory is not known.`)
  const whole = isWhole ? path : join(cwd ?? '', path)
  return { ok: true, name, input: { [pathWord]: whole, ...contentOf(use, tool) } }
}

function contentOf(use: FileUse, tool: ToolDeclaration): Readonly<Record<string, unknown>> {
  if (use.use === 'read') return {}
  if (use.use === 'write') return { content: use.input.content }
  const edit = {
    [wordIn(tool, ['oldText', 'old_string', 'oldString'])]: use.input.old,
    [wordIn(tool, ['newText', 'new_string', 'newString'])]: use.input.new,
  }
  return tool.fields.includes('edits')
    ? { edits: [{ oldText: use.input.old, newText: use.input.new }] }
    : edit
}

/** The same as a line for a shell. */
function shellLine(use: FileUse): string {
  const path = quoted(use.input.path)
  if (use.use === 'read') return `cat -- ${path}`
  if (use.use === 'write')
    return `mkdir -p -- "$(dirname -- ${path})" && printf %s ${quoted(use.input.content)} > ${path}`
  const script = quoted('s/\\Q$ENV{OLD}\\E/$ENV{NEW}/')
  return `OLD=${quoted(use.input.old)} NEW=${quoted(use.input.new)} perl -0pi -e ${script} -- ${path}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
