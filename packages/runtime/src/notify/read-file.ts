import type { ProblemCode } from '@weave/protocol'
import { readRegularFile } from '../files/index.ts'
import { type Problem, parseJsonSource, problemOf, shapeProblems } from '../kit/index.ts'
import type { NotifyConfig } from './config.ts'

export interface ReadNotifyFile {
  /** Absent when there is no such file, or something is wrong with it. */
  readonly config?: NotifyConfig
  readonly problems: readonly Problem<ProblemCode>[]
}

const maxBytes = 1024 * 1024

/** The file of a person's own. One that was named must be there. Never rejects. */
export async function readNotifyFile(
  path: string,
  { isNamed }: { readonly isNamed: boolean },
): Promise<ReadNotifyFile> {
  const read = await readRegularFile(path, { maxBytes })
  if (!read.ok && read.reason === 'missing' && !isNamed) return { problems: [] }
  if (!read.ok) {
    const message = read.reason === 'missing' ? 'the file does not exist' : read.message
    return { problems: [wholeFile(path, { severity: 'error', message })] }
  }
  const parsed = await parseNotifyFile(read.bytes, path)
  const isOpen = process.platform !== 'win32' && (read.stat.mode & 0o077) !== 0
  if (!isOpen) return parsed
  const message = `others can read it, and addresses in it may be secrets: chmod 600 ${path}`
  return { ...parsed, problems: [...parsed.problems, wholeFile(path, { severity: 'warning', message })] }
}

/** `file` is its name in messages. */
export async function parseNotifyFile(text: Uint8Array, file: string): Promise<ReadNotifyFile> {
  const { notifyFile: schema } = await import('./schema.ts')
  const source = parseJsonSource(text, { file })
  if (!source.ok) return { problems: source.problems }
  const checked = schema.safeParse(source.value)
  if (checked.success) return { config: checked.data, problems: source.warnings }
  return {
    problems: [...source.warnings, ...shapeProblems(checked.error, source, { family: 'settings', schema })],
  }
}

function wholeFile(
  file: string,
  said: Pick<Problem<ProblemCode>, 'severity' | 'message'>,
): Problem<ProblemCode> {
  return problemOf({ ...said, code: 'settings/file' }, { where: '', place: { file, line: 1, column: 1 } })
}
