import { addSchemaLine, type Prepared } from '@weave/runtime'
import { version } from '../version.ts'

/** Writes the editor's schema into a hank that has none; the line to print, when it did. */
export async function schemaLine({ loaded }: Prepared): Promise<string | undefined> {
  if (!loaded.source) return undefined
  const line = await addSchemaLine(loaded.source, version)
  return line.added ? line.message : undefined
}
