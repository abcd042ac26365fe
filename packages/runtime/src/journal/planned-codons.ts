import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldsOf, numberOf } from '../kit/index.ts'

/** Bytes of a segment; good until it is called again. */
export type ReadBytes = (from: number, most: number) => Buffer

/** A run says what it will do among its first words. */
const nearBytes = 8 * 1024
const farBytes = 64 * 1024

/**
 * How many codons the plan has, loops with their limit; read off the outline that a run says at its start. 0 when it is not
 * at the beginning of the journal. Throws what the disk throws.
 */
export function plannedCodons(readFirst: ReadBytes, blobs: string): number {
  const near = startIn(readFirst(0, nearBytes), nearBytes)
  const { line } = near.isAll ? near : startIn(readFirst(0, farBytes), farBytes)
  if (line === undefined) return 0
  try {
    return codonsIn(JSON.parse(line), blobs)
  } catch {
    return 0
  }
}

interface Start {
  /** With which a run says what it will do. */
  readonly line: string | undefined
  /** Nothing more of it is to be found behind what was read. */
  readonly isAll: boolean
}

function startIn(bytes: Buffer, wanted: number): Start {
  const line = lastLineWith(runStarted, bytes.subarray(0, bytes.lastIndexOf('\n') + 1))
  // It is said before the first codon begins.
  return { line, isAll: line !== undefined || bytes.length < wanted || bytes.includes(codonStarted) }
}

const runStarted = Buffer.from('","type":"run.started",')
const codonStarted = Buffer.from('"CodonStarted"')

function lastLineWith(mark: Buffer, lines: Buffer): string | undefined {
  let at = lines.indexOf(mark)
  if (at === -1) return undefined
  // Forwards: a search backwards through what has none takes ten times as long.
  for (let next = at; next !== -1; next = lines.indexOf(mark, next + mark.length)) at = next
  return lines.toString('utf8', lines.lastIndexOf('\n', at) + 1, lines.indexOf('\n', at))
}

function codonsIn(line: unknown, blobs: string): number {
  const event = fieldsOf(line)
  const refs = fieldsOf(event['blobs'])['outline']
  // One pair of a name and a length, or several.
  const names = Array.isArray(refs) ? refs.flat().filter(each => typeof each === 'string') : []
  const parts = names.map(name => readFileSync(join(blobs, name.slice(0, 2), name)))
  const spilled: unknown = parts.length > 0 ? JSON.parse(Buffer.concat(parts).toString('utf8')) : undefined
  const outline = spilled ?? fieldsOf(event['data'])['outline']
  if (!Array.isArray(outline)) return 0
  return outline.reduce((sum: number, item: unknown) => {
    const { codons, limit } = fieldsOf(item)
    return sum + (Array.isArray(codons) ? codons.length * (numberOf(limit) ?? 1) : 1)
  }, 0)
}
