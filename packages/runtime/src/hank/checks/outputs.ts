import { opendirSync } from 'node:fs'
import { collector, errorCode, type Problem } from '../../kit/index.ts'
import { codonLabel, codonsOf } from '../codons.ts'
import { outputPathFault } from '../references.ts'
import type { HankFile } from '../schema.ts'
import { type CheckContext, shown } from './check.ts'

/** The directory that receives the output files is better empty; one that is not there yet is fine. */
export function checkOutputs(_hank: HankFile, { outputDirectory }: CheckContext): readonly Problem[] {
  if (outputDirectory === undefined) return []
  const message = complaintAbout(shown(outputDirectory), contentOf(outputDirectory))
  return message === undefined ? [] : [{ severity: 'warning', where: '', message }]
}

type Content = 'some' | 'none' | 'not-a-directory' | 'unknown'

function complaintAbout(directory: string, content: Content): string | undefined {
  switch (content) {
    case 'some':
      return `The output directory ${directory} is not empty. A file whose name is taken there is renamed; use --overwrite-output to replace it, or choose another directory.`
    case 'not-a-directory':
      return `The output directory ${directory} is not a directory, so no output file can be copied there. Choose another one.`
    case 'none':
    case 'unknown':
      return undefined
  }
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
export function checkOutputPaths(hank: HankFile): readonly Problem[] {
  const problems = collector()
  for (const placed of codonsOf(hank)) {
    for (const [at, { settings }] of (placed.codon.sentinels ?? []).entries()) {
      for (const [field, path] of Object.entries(settings?.outputPaths ?? {})) {
        const fault = path === undefined ? undefined : outputPathFault(path)
        const where = `${placed.where}.sentinels[${at}].settings.outputPaths.${field}`
        if (fault !== undefined) problems.error(where, `${codonLabel(placed)}: ${field} ${fault}`)
      }
    }
  }
  return problems.all()
}
