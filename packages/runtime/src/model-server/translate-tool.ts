import { isAbsolute, join } from 'node:path'
import type { ToolUse } from './answer.ts'
import type { ToolDeclaration } from './model-request.ts'

export type Translation =
  | { readonly ok: true; readonly name: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly message: string }

export interface TranslationContext {
  /** What the request offers. */
  readonly declarations: readonly ToolDeclaration[]
  /** Where relative paths begin, as far as known. */
  readonly cwd: string | undefined
}

/**
 * A tool use in the words of the harness that asks. Which words these are is told by the tools that the request declares:
 * one agent takes `file_path`, which must be absolute, the other `path`.
 */
export function translateTool(use: ToolUse, { declarations, cwd }: TranslationContext): Translation {
  const tool = declarations.find(({ name }) => name.toLowerCase() === use.use)
  if (!tool) return refused(`The script uses "${use.use}", and the request offers no such tool.`)
  const { name } = tool
  if (use.use === 'bash') return { ok: true, name, input: { command: use.input.command } }
  if (!tool.fields.includes('file_path')) return { ok: true, name, input: relaxedInput(use, tool) }
  const { path } = use.input
  if (isAbsolute(path)) return { ok: true, name, input: strictInput(use, path) }
  if (cwd !== undefined) return { ok: true, name, input: strictInput(use, join(cwd, path)) }
  return refused(`The tool "${name}" wants an absolute path, and the working directory is not known.`)
}

function refused(message: string): Translation {
  return { ok: false, message }
}

type FileUse = Exclude<ToolUse, { readonly use: 'bash' }>

function strictInput(use: FileUse, path: string): Readonly<Record<string, unknown>> {
  if (use.use === 'write') return { file_path: path, content: use.input.content }
  if (use.use === 'edit') return { file_path: path, old_string: use.input.old, new_string: use.input.new }
  return { file_path: path }
}

function relaxedInput(use: FileUse, { fields }: ToolDeclaration): Readonly<Record<string, unknown>> {
  if (use.use !== 'edit') return { ...use.input }
  const edit = { oldText: use.input.old, newText: use.input.new }
  return { path: use.input.path, ...(fields.includes('edits') ? { edits: [edit] } : edit) }
}
