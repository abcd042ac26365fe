import { opendirSync } from 'node:fs'
import { errorCode } from '../../kit/index.ts'
import { at, codonsOf } from '../codons.ts'
import { outputPathFault } from '../references.ts'
import type { HankFile } from '../schema.ts'
import { type CheckContext, type Report, shown } from './check.ts'

/** The directory that receives the output files is better empty; one that is not there yet is fine. */
export function checkOutputs(_hank: HankFile, { warning }: Report, { outputDirectory }: CheckContext): void {
  if (outputDirectory === undefined) return
  const complaint = complaints[contentOf(outputDirectory)]
  if (complaint !== undefined)
    warning('', `The output directory ${shown(outputDirectory)} is not ${complaint}`)
}

type Content = 'some' | 'none' | 'not-a-directory' | 'unknown'

const complaints: Readonly<Partial<Record<Content, string>>> = {
  some: 'empty. A file whose name is taken there is renamed; use --overwrite-output to replace it, or choose another directory.',
  'not-a-directory': 'a directory, so no output file can be copied there. Choose another one.',
}

/** Reads one entry at most: the directory may hold very many. */
function contentOf(path: string): Content {
  try {
    const directory = opendirSync(path, { bufferSize: 1 })
    try {
      return directory.readSync() === null ? 'none' : 'some'
    } finally {
      directory.closeSync()
    }
  } catch (error) {
    return errorCode(error) === 'ENOTDIR' ? 'not-a-directory' : 'unknown'
  }
}

/** Where the attachments of a hank let their sentinels write; the same rule as for the configuration itself. */
export function checkOutputPaths(hank: HankFile, { error }: Report): void {
  for (const placed of codonsOf(hank)) {
    for (const [index, { settings }] of (placed.codon.sentinels ?? []).entries()) {
      for (const [field, path] of Object.entries(settings?.outputPaths ?? {})) {
        const fault = path === undefined ? undefined : outputPathFault(path)
        const about = at(placed, `sentinels[${index}].settings.outputPaths.${field}`)
        if (fault !== undefined) error(about, `${field} ${fault}`)
      }
    }
  }
}
