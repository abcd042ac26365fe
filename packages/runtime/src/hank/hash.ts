import { createHash } from 'node:crypto'
import { isObject } from '../kit/index.ts'
import type { HankSource } from './read.ts'

/** SHA-256 of what a hank file says, whatever its layout and its `$schema`. Apart from `read.ts`: to check a hank loads no crypto. */
export function hankHash({ value }: Pick<HankSource, 'value'>): string {
  const { $schema: _, ...content } = isObject(value) ? value : { value }
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}
