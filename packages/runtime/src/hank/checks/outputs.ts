import type { Dir } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { errorCode, type Problem } from '../../kit/index.ts'
import type { CheckContext } from '../check.ts'
import type { HankFile } from '../schema.ts'
import { shown } from './labels.ts'

/** The directory that receives the output files is better empty (specification 2.4); one that is not there yet is fine. */
export async function checkOutputs(
  _hank: HankFile,
  { outputDirectory }: CheckContext,
): Promise<readonly Problem[]> {
  if (outputDirectory === undefined) return []
  const message = complaintAbout(shown(outputDirectory), await lookInto(outputDirectory))
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
async function lookInto(path: string): Promise<Content> {
  let directory: Dir | undefined
  try {
    directory = await opendir(path, { bufferSize: 1 })
    return (await directory.read()) === null ? 'none' : 'some'
  } catch (error) {
    return errorCode(error) === 'ENOTDIR' ? 'not-a-directory' : 'unknown'
  } finally {
    await directory?.close().catch(() => undefined)
  }
}
