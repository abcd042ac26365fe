import { fieldOf } from '../kit/index.ts'
import type { HankSource } from './read.ts'
import type { SchemaLine } from './write-schema-line.ts'

/**
 * Writes `$schema` as the first key of a hank that has none, for editors, and changes nothing else of the text.
 *
 * All or nothing: on any failure the file has its old bytes. Leaves alone what is no hank (the path may be a mistake), a
 * file that may not be written, and one that belongs to somebody else (the file put in its place would be ours). Never
 * rejects: a missing line harms nobody.
 */
export async function addSchemaLine(
  source: Pick<HankSource, 'path' | 'file'> & Partial<Pick<HankSource, 'value'>>,
  version: string,
): Promise<SchemaLine> {
  // Nearly every hank has the line; what writes it is not loaded then.
  if (fieldOf(source.value, '$schema') !== undefined) return { added: false, reason: 'present' }
  const { writeSchemaLine } = await import('./write-schema-line.ts')
  return writeSchemaLine(source, schemaAddress('hank', version))
}

/** The files that have an editor schema, by the stem of its published file. */
export type SchemaKind = 'hank' | 'weave' | 'sentinel' | 'rehearsal' | 'models' | 'notify'

/** Where editors find the schema of a kind of file, as published with that version of the package. */
export function schemaAddress(kind: SchemaKind, version: string): string {
  return `https://unpkg.com/weave-runtime@${version}/schemas/${kind}.schema.json`
}
