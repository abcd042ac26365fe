import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { wordsOf } from '@weave/runtime'

/** Writes a file that other programs wait for: whole or not at all. Says what went wrong. */
export async function writeWhole(file: string, text: string): Promise<string | undefined> {
  const draft = `${file}.${randomUUID()}.part`
  try {
    await writeFile(draft, text, { flag: 'wx' })
    await rename(draft, file)
    return undefined
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    return `${file} cannot be written: ${wordsOf(error)}.`
  }
}
