import { editorSchema, isSchemaKind, schemaKinds } from '@weave/runtime'
import type { Arguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes, version } from './program.ts'
import type { Terminal } from './terminal.ts'

/** `weave schema <kind>`: the JSON Schema that editors use, as published with this version. */
export function schemaCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const [kind = '', ...rest] = args.positionals
  if (!isSchemaKind(kind) || rest.length > 0) {
    terminal.error(`Name one schema: ${schemaKinds.join(', ')}.`)
    return Promise.resolve(exitCodes.usage)
  }
  terminal.json(JSON.stringify(editorSchema(kind, version), null, 2))
  return Promise.resolve(exitCodes.done)
}
