import { rename } from 'node:fs/promises'
import { dirname, join, parse } from 'node:path'
import { cutToBytes, removeTree } from '../files/index.ts'
import { createId, errorCode } from '../kit/index.ts'
import { backupPrefix, isDirectory } from './classify-directory.ts'
import { shortHash } from './data-hash.ts'
import type { ExecutionLayout } from './layout.ts'
import { acquireLock } from './lock-file.ts'
import { type OpenOptions, type OpenProblem, openProblem } from './open-options.ts'

/** A former `.weave/` under its new name, with the archives and, until it is removed, the former workspace in it. */
export interface Aside {
  readonly kind: 'aside'
  readonly backup: string
}

/**
 * Makes room for a new execution where there is one: `.weave/` becomes `.weave.backup-<timestamp>`, with the archives in
 * it and, unless the workspace stays, that too. Renames only, under the lock of the old execution, so no server is at
 * work in it and a kill leaves what `undoSetAside` puts back. Rejects with the system's error.
 */
export async function setAside(layout: ExecutionLayout, options: OpenOptions): Promise<Aside | OpenProblem> {
  const { lockFile, internals, dir } = layout
  const { clock } = options
  const taken = await acquireLock({ lockFile, runId: createId('run'), clock, onLost: () => undefined })
  if (taken.kind === 'held')
    return openProblem('held', {
      path: dir,
      message: taken.message,
      cure: 'Stop that server first, or choose another directory',
      holder: taken.holder,
    })
  if (taken.kind === 'failed')
    return openProblem('damaged', { path: taken.path, message: taken.message, cure: taken.cure })
  try {
    for (const { from, to, isWorkspace } of moves(layout)) {
      taken.lock.assertHeld()
      if (options.wipe || !isWorkspace) await rename(from, to).catch(ignoreAbsence)
    }
    const backup = await freeName(join(dir, `${backupPrefix}${timestamp(clock.now())}`))
    taken.lock.assertHeld()
    await rename(internals, backup)
    await removeTree(join(backup, 'lock.json'))
    return { kind: 'aside', backup }
  } finally {
    taken.lock.release()
  }
}

/** Empties the workspace that was set aside. Nothing but what was below `agentRoot` is ever deleted. */
export async function removeWiped({ backup }: Aside): Promise<void> {
  await removeTree(join(backup, wipedName))
}

/** Puts back what a `setAside` moved that was killed before its last rename. Rejects with the system's error. */
export async function undoSetAside(layout: ExecutionLayout): Promise<void> {
  for (const { from, to } of moves(layout))
    if ((await isDirectory(to)) && !(await isDirectory(from))) await rename(to, from).catch(ignoreAbsence)
}

const wipedName = 'wiped-workspace'
const mostNames = 1_000

function moves({ internals, agentRoot, rigArchive }: ExecutionLayout) {
  return [
    { from: agentRoot, to: join(internals, wipedName), isWorkspace: true },
    { from: rigArchive, to: join(internals, 'rigArchive'), isWorkspace: false },
  ] as const
}

async function freeName(path: string): Promise<string> {
  for (let attempt = 1; attempt <= mostNames; attempt++) {
    const name = attempt === 1 ? path : `${path}-${attempt}`
    if (!(await isDirectory(name))) return name
  }
  throw new Error(`${dirname(path)} has too many backups`)
}

function ignoreAbsence(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error
}

interface NameParts {
  readonly hankName?: string | undefined
  readonly hankPath: string
  readonly dataHash: string
  readonly now: Date
  /** From 1; the second and later ones of one second get a number. */
  readonly attempt?: number
}

/** With the 23 characters that follow, and a counter, well within what file systems allow. */
const longestSlug = 80

/** `<hank name or file stem>-<yyyymmdd-hhmmss, UTC>-<6 hex of the data hash>`. */
export function executionName({ hankName, hankPath, dataHash, now, attempt = 1 }: NameParts): string {
  const name = `${slugOf(nameOfHank(hankName, hankPath))}-${timestamp(now)}-${shortHash(dataHash)}`
  return attempt === 1 ? name : `${name}-${attempt}`
}

/** What a hank is called: its own name, else that of its file. */
export function nameOfHank(hankName: string | undefined, hankPath: string): string {
  return hankName === undefined || hankName.trim() === '' ? parse(hankPath).name : hankName
}

/** Sorts by time. UTC, so that no change to winter time puts two runs in the wrong order. */
function timestamp(date: Date): string {
  const digits = date.toISOString().replaceAll(/[-:]/g, '')
  return `${digits.slice(0, 8)}-${digits.slice(9, 15)}`
}

/**
 * Lower-case letters and digits of any script, joined by hyphens; Latin letters lose their accents. Never empty, never
 * starts with a dot or a hyphen, at most 80 bytes.
 */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
  const words = plain.toLowerCase().replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, '-')
  return cutToBytes(words.replace(/^-/, ''), longestSlug).replace(/-$/, '') || 'hank'
}
