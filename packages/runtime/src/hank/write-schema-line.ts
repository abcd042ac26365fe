import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { applyEdits, modify } from 'jsonc-parser'
import { readRegularFile, writeFileAtomic } from '../files/index.ts'
import { parseJsonSource } from '../kit/index.ts'
import { type HankSource, maxHankBytes } from './read.ts'

export type SchemaLine =
  | {
      readonly added: true
      /** For people: what was done to their file. */
      readonly message: string
    }
  | { readonly added: false; readonly reason: 'present' | 'no-hank' | 'read-only' | 'not-ours' | 'failed' }

/** The writing itself, after another look at the file, which may have changed; see `addSchemaLine`. */
export async function writeSchemaLine(
  { path, file }: Pick<HankSource, 'path' | 'file'>,
  address: string,
): Promise<SchemaLine> {
  const read = await readRegularFile(path, { maxBytes: maxHankBytes })
  if (!read.ok) return { added: false, reason: 'failed' }
  const edited = withSchema(read.bytes, address)
  if (!edited.ok) return { added: false, reason: edited.reason }

  const { mode, uid } = read.stat
  if ((mode & anyWriteBit) === 0 || !(await isWritable(path))) return { added: false, reason: 'read-only' }
  if (process.getuid !== undefined && uid !== process.getuid()) return { added: false, reason: 'not-ours' }
  try {
    await writeFileAtomic(path, edited.text, { mode: mode & 0o7777 })
    return { added: true, message: `+ Added $schema to ${file} for editor support` }
  } catch {
    return { added: false, reason: 'failed' }
  }
}

// Asked besides the system, which lets root write anything.
const anyWriteBit = 0o222

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  )
}

type Edited =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'present' | 'no-hank' }

function withSchema(bytes: Buffer, address: string): Edited {
  const parsed = parseJsonSource(bytes, { file: '', maxBytes: maxHankBytes })
  const value = parsed.ok ? parsed.value : undefined
  const isHank = typeof value === 'object' && value !== null && Object.hasOwn(value, 'hank')
  if (!isHank) return { ok: false, reason: 'no-hank' }
  if (Object.hasOwn(value, '$schema')) return { ok: false, reason: 'present' }

  const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const mark = whole.startsWith('\uFEFF') ? '\uFEFF' : ''
  const text = whole.slice(mark.length)
  const edits = modify(text, ['$schema'], address, { getInsertionIndex: () => 0 })
  // The new key begins its line as the old first key did.
  const indented = edits.map(edit => ({ ...edit, content: spaceAt(text, edit.offset) + edit.content }))
  return { ok: true, text: mark + applyEdits(text, indented) }
}

function spaceAt(text: string, offset: number): string {
  return /^[ \t\r\n]*/.exec(text.slice(offset))?.[0] ?? ''
}
