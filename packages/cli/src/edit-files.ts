import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Edited, EditedPrompt } from '@weave/tui'

/** Opens files in the editor of a person, on their terminal, and waits until it is closed. `input` is where keys come from. */
export async function editFiles({ directory, files }: EditedPrompt, input: number): Promise<Edited> {
  const paths = files.map(file => resolve(directory, file))
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi'
  const before = await textsOf(paths)
  const end = await ended(editor, paths, input)
  if (end !== 0)
    return {
      ok: false,
      message: `The editor "${editor}" ended with ${end}. VISUAL or EDITOR says which to use.`,
    }
  return { ok: true, changed: (await textsOf(paths)) !== before }
}

/** The editor may have options of its own, so a shell reads it; the paths are no text for that shell. */
function ended(editor: string, paths: readonly string[], input: number): Promise<string | number> {
  const child = spawn('/bin/sh', ['-c', `${editor} "$@"`, 'sh', ...paths], { stdio: [input, 1, 1] })
  return new Promise(settle => {
    child.on('error', error => settle(error.message))
    child.on('close', (code, signal) => settle(signal ?? code ?? 1))
  })
}

async function textsOf(paths: readonly string[]): Promise<string> {
  const texts = await Promise.all(paths.map(path => readFile(path, 'utf8').catch(() => '')))
  return JSON.stringify(texts)
}
