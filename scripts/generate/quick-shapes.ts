import { hankFile } from '../../packages/runtime/src/hank/index.ts'
import { runtimeFile } from '../../packages/runtime/src/settings/index.ts'
import type { Generated } from './generated.ts'

/**
 * The shapes of files as plain data, without the words: a good file is recognised with them, so that the schemas
 * themselves and their library are loaded only to explain what is wrong with another.
 */
export const quickShapes: readonly Generated[] = [
  { path: 'packages/runtime/src/hank/hank-shape.json', content: () => textOf(hankFile) },
  { path: 'packages/runtime/src/settings/weave-shape.json', content: () => textOf(runtimeFile) },
]

function textOf(schema: typeof hankFile | typeof runtimeFile): string {
  const { $schema: _, ...shape } = schema.toJSONSchema({
    io: 'input',
    override: ({ jsonSchema, zodSchema }) => {
      delete jsonSchema.description
      delete jsonSchema.default
      // A rule in code has no words in JSON Schema; with this one a value is always looked at more closely.
      if (zodSchema._zod.def.checks?.some(check => check._zod.def.check === 'custom')) jsonSchema['not'] = {}
    },
  })
  return `${printed(shape, 0, 0)}\n`
}

const widest = 110

/** As the formatter of this repository leaves it: on one line what fits there. `before` stands on the line already. */
function printed(value: unknown, depth: number, before: number): string {
  const isLeaf = typeof value !== 'object' || value === null || Object.keys(value).length === 0
  if (isLeaf) return JSON.stringify(value)
  const indent = '  '.repeat(depth + 1)
  const isList = Array.isArray(value)
  const parts = Object.entries(value).map(([key, inner]) => {
    const start = isList ? '' : `${JSON.stringify(key)}: `
    return start + printed(inner, depth + 1, indent.length + start.length)
  })
  const line = isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`
  if (!line.includes('\n') && before + line.length < widest) return line
  const body = parts.map(part => indent + part).join(',\n')
  const end = `\n${'  '.repeat(depth)}`
  return isList ? `[\n${body}${end}]` : `{\n${body}${end}}`
}
