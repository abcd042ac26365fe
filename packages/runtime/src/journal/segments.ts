import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { errorCode } from '../kit/index.ts'

/** A journal is a row of segment files, each named after the first `seq` in it. */
export interface Segment {
  readonly firstSeq: number
  readonly path: string
}

const pattern = /^events-(\d{12,16})\.jsonl$/

export function segmentPath(dir: string, firstSeq: number): string {
  return join(dir, `events-${String(firstSeq).padStart(12, '0')}.jsonl`)
}

/** The number in the name of a segment. */
export function firstSeqOf(path: string): number {
  return Number(pattern.exec(basename(path))?.[1])
}

/** In order of their `seq`. A missing folder is an empty journal. */
export async function listSegments(dir: string): Promise<readonly Segment[]> {
  return (await namesIn(dir))
    .flatMap(name => {
      const firstSeq = Number(pattern.exec(name)?.[1])
      return Number.isSafeInteger(firstSeq) && firstSeq > 0 ? [{ firstSeq, path: join(dir, name) }] : []
    })
    .sort((a, b) => a.firstSeq - b.firstSeq)
}

async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}
