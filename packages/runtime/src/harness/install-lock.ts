import { link, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createId, errorCode, isAlive, processStartTime, type Result } from '../kit/index.ts'

export type InstallLock = Result<{ readonly release: () => Promise<void> }, { readonly holder: number }>

/**
 * Keeps two from installing the same thing at once. The lock names its process, so that one that was killed holds nothing.
 * Two that find such a lock in the same moment may both go on: that costs a second download and no more, since each
 * installs into a folder of its own and a finished folder takes its place at once.
 */
export async function claimInstall(folder: string, word: string): Promise<InstallLock> {
  const file = join(folder, `.${word}.lock`)
  const own = `${process.pid} ${processStartTime(process.pid) ?? ''}`
  const draft = join(folder, `.lock-${createId('draft')}`)
  await writeFile(draft, own, { mode: 0o600 })
  try {
    for (;;) {
      if (await linked(draft, file)) return { ok: true, release: () => releaseLock(file, own) }
      const holder = await holderOf(file)
      if (holder !== undefined) return { ok: false, holder }
      await unlink(file).catch(ignoreAbsence)
    }
  } finally {
    await unlink(draft).catch(ignoreAbsence)
  }
}

/** A link has its text from the first moment; a file would be empty for a while. False: there is one already. */
async function linked(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** The process that holds a lock, if it lives. */
async function holderOf(file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const [id = '', ...since] = text.split(' ')
  const pid = Number(id)
  return isAlive(pid) && (processStartTime(pid) ?? '') === since.join(' ') ? pid : undefined
}

async function releaseLock(file: string, own: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text === own) await unlink(file).catch(ignoreAbsence)
}

function ignoreAbsence(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error
}
