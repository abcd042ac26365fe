import { opendirSync } from 'node:fs'
import { errorCode, type Problem } from '../../kit/index.ts'
import type { CheckContext } from '../check.ts'
import type { HankFile } from '../schema.ts'
import { shown } from './labels.ts'

/** The directory that receives the output files is better empty (specification 2.4); one that is not there yet is fine. */
export function checkOutputs(_hank: HankFile, { outputDirectory }: CheckContext): readonly Problem[] {
  if (outputDirectory === undefined) return []
  const message = complaintAbout(shown(outputDirectory), lookInto(outputDirectory))
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
function lookInto(path: string): Content {
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
