import { createHash } from 'node:crypto'
import type { HankSource } from './read.ts'

/** SHA-256 of what a hank file says, whatever its layout and its `$schema`. */
export function hankHash({ value }: Pick<HankSource, 'value'>): string {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const { $schema: _, ...content } = isObject ? { $schema: undefined, ...value } : { value }
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}
