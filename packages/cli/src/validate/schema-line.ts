import { readFileSync } from 'node:fs'
import { addSchemaLine, type Prepared, type Problem } from '@weave/runtime'
import { version } from '../program.ts'
import { withPlaces } from './with-places.ts'

type Place = NonNullable<Problem['place']>

export interface AddedSchema {
  /** The line to print, when there was none. */
  readonly message?: string
  /** The same with the places where they are now: the line moved what stands behind it. */
  readonly moved: (prepared: Prepared) => Prepared
}

const nothingMoved: AddedSchema = { moved: prepared => prepared }

/** Writes the editor's schema into a hank that has none. */
export async function addSchema({ loaded }: Prepared): Promise<AddedSchema> {
  const { source } = loaded
  if (!source) return nothingMoved
  const before = textOf(source.path)
  const line = await addSchemaLine(source, version)
  if (!line.added) return nothingMoved
  const after = textOf(source.path)
  const move = (place: Place): Place =>
    place.file === source.file ? { ...place, ...movedPlace(place, { before, after }) } : place
  return {
    message: line.message,
    moved: prepared => ({
      ...prepared,
      problems: prepared.problems.map(problem => withPlaces(problem, move)),
    }),
  }
}

interface Insertion {
  readonly before: string
  readonly after: string
}

interface Position {
  readonly line: number
  readonly column: number
}

/** Where a place of a text is after something was put into it. Lines and columns count from 1. */
export function movedPlace(place: Position, { before, after }: Insertion): Position {
  const lines = before.split('\n')
  const offset = lines.slice(0, place.line - 1).reduce((sum, line) => sum + line.length + 1, place.column - 1)
  const shift = offset >= before.length - commonEnd(before, after) ? after.length - before.length : 0
  const upTo = after.slice(0, offset + shift).split('\n')
  return { line: upTo.length, column: (upTo.at(-1)?.length ?? 0) + 1 }
}

/** How many characters at the end are the same. */
function commonEnd(left: string, right: string): number {
  const most = Math.min(left.length, right.length)
  let length = 0
  while (length < most && left.at(-1 - length) === right.at(-1 - length)) length++
  return length
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
