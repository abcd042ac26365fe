import * as z from 'zod'
import { hankFile, type SchemaKind, schemaAddress, sentinelConfig } from '../hank/index.ts'
import { rehearsalScript } from '../model-server/index.ts'
import { modelsFile } from '../models/index.ts'
import { notifyFile } from '../notify/index.ts'
import { runtimeFile } from '../settings/index.ts'

/** Every kind of file that a person writes, by the definition that the loader checks it with. */
const shapes: Readonly<Record<SchemaKind, { readonly shape: z.ZodType; readonly title: string }>> = {
  hank: { shape: hankFile, title: 'hank.json, a weave workflow' },
  weave: { shape: runtimeFile, title: 'weave.json, settings of the weave runtime' },
  sentinel: { shape: sentinelConfig, title: 'A weave sentinel' },
  models: { shape: modelsFile, title: 'models.json, more models and providers' },
  rehearsal: { shape: rehearsalScript, title: 'rehearsal.json, what a scripted model answers' },
  notify: { shape: notifyFile, title: '~/.weave/notify.json, who is told of runs' },
}

export const schemaKinds = Object.keys(shapes) as readonly SchemaKind[]

export function isSchemaKind(word: string): word is SchemaKind {
  return Object.hasOwn(shapes, word)
}

/** The JSON Schema for editors. Looser than the loader, which also checks what stands between fields and on the disk. */
export function editorSchema(kind: SchemaKind, version: string): object {
  const { shape, title } = shapes[kind]
  const { $schema, ...schema } = z.toJSONSchema(shape, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
  })
  return { $schema, $id: schemaAddress(kind, version), title, ...schema }
}
