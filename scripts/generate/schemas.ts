import { readFileSync } from 'node:fs'
import { editorSchema, schemaKinds } from '@weave/runtime'
import type { Generated } from './generated.ts'

const { version } = JSON.parse(
  readFileSync(new URL('../../packages/cli/package.json', import.meta.url), 'utf8'),
) as {
  version: string
}

/** The schemas for editors, one for each kind of file that a person writes. */
export const schemas: readonly Generated[] = schemaKinds.map(kind => ({
  path: `schemas/${kind}.schema.json`,
  content: () => `${JSON.stringify(editorSchema(kind, version), null, 2)}\n`,
}))
