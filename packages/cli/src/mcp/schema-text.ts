import { editorSchema, isSchemaKind } from '@weave/runtime'
import { version } from '../program.ts'

/** The JSON Schema of a file, as `weave schema` prints it. */
export function schemaText(kind: string): string {
  return isSchemaKind(kind) ? JSON.stringify(editorSchema(kind, version), null, 2) : ''
}
