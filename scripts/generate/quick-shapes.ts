import { hankFile } from '../../packages/runtime/src/hank/index.ts'
import type { Generated } from './generated.ts'

/**
 * The shape of a hank as plain data, without the words: a good file is recognised with it, so that the schema itself and
 * its library are loaded only to explain what is wrong with another.
 */
export const quickShapes: readonly Generated[] = [
  { path: 'packages/runtime/src/hank/hank-shape.json', content: () => `${printed(hankShape(), 0, 0)}\n` },
]

function hankShape(): unknown {
  const { $schema: _, ...shape } = hankFile.toJSONSchema({
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.description
      delete jsonSchema.default
    },
  })
  return shape
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
