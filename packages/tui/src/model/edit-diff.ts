import { type DiffLine, harmless, lineDiff } from 'weave-client'
import { type Line, line, span } from '../terminal/line.ts'
import { wrapped } from '../terminal/width.ts'

/** What a tool call changes in a file. */
export interface FileEdit {
  readonly path: string
  readonly parts: readonly { readonly before: string; readonly after: string }[]
}

type Fields = Readonly<Record<string, unknown>>

/** The edit in the input of a tool: the agents name the same things differently. Undefined: it is none. */
export function fileEditOf(input: Fields): FileEdit | undefined {
  const path = textIn(input, ['file_path', 'path'])
  if (path === undefined) return undefined
  const listed = Array.isArray(input['edits']) ? input['edits'].filter(isFields) : [input]
  const parts = listed.flatMap(each => {
    const before = textIn(each, ['old_string', 'oldText'])
    const after = textIn(each, ['new_string', 'newText'])
    return before === undefined || after === undefined ? [] : [{ before, after }]
  })
  if (parts.length > 0) return { path, parts }
  const content = textIn(input, ['content'])
  return content === undefined ? undefined : { path, parts: [{ before: '', after: content }] }
}

/** Its lines, without the path. */
export function editLines({ parts }: FileEdit, width: number): readonly Line[] {
  return parts.flatMap(({ before, after }) => lineDiff(before, after).flatMap(each => diffLines(each, width)))
}

function diffLines(each: DiffLine, width: number): readonly Line[] {
  if (each.kind === 'skipped') return [line(span(`  … ${each.count} lines`, 'dim'))]
  const style = each.kind === 'same' ? 'dim' : each.kind
  const sign = { added: '+', removed: '-', same: ' ' }[each.kind]
  return wrapped(each.text, Math.max(1, width - 2)).map((text, index) =>
    line(span(`${index === 0 ? sign : ' '} ${text}`, style)),
  )
}

/** Out of its quotes a text is what it was before: it has to be made harmless again. */
function textIn(input: Fields, names: readonly string[]): string | undefined {
  const value = names.map(name => input[name]).find(each => typeof each === 'string')
  return typeof value === 'string' ? harmless(value) : undefined
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}
