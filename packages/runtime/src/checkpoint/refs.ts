import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { ensureDirDurably, prepareFile, syncDirectory } from '../files/index.ts'
import { errorCode, type Result } from '../kit/index.ts'
import type { Git } from '../tree/index.ts'

export type Refs = ReturnType<typeof createRefs>

/** One file per ref, written the way git does. Whoever holds the execution is the only one who writes. */
export function createRefs(gitDir: string, git: Git) {
  return {
    /** What a ref names, if there is such a ref. Rejects with the system's error. */
    async read(ref: string): Promise<string | undefined> {
      const found = readLoose(join(gitDir, ref))
      if (found !== undefined) return found
      // Somebody may have packed the refs by hand.
      if (!existsSync(join(gitDir, 'packed-refs'))) return undefined
      const answer = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', ref])
      return answer.ok ? answer.bytes.toString().trim() : undefined
    },
    /** Gets ready to write; nothing can be seen of it yet. Rejects with the system's error. */
    async prepare(ref: string, sha: string) {
      const target = join(gitDir, ref)
      const temporary = `${target}.lock`
      await ensureDirDurably(dirname(target))
      const { place, discard } = await prepareFile(Buffer.from(`${sha}\n`), {
        temporary,
        target,
        mode: 0o600,
      })
      return {
        /** On the disk for good when it resolves. A kill leaves the old value or the new one. Rejects like `prepare`. */
        async write(): Promise<void> {
          place()
          await syncDirectory(dirname(target))
        },
        /** Instead of `write`. */
        discard,
      }
    },
  }
}

/** All refs with what they name, without git: it writes refs in these two ways only. Throws the system's error. */
export function listRefs(gitDir: string): ReadonlyMap<string, string> {
  const packed = readIfThere(join(gitDir, 'packed-refs')) ?? ''
  const refs = new Map<string, string>()
  for (const [, sha = '', ref = ''] of packed.matchAll(/^([0-9a-f]{40}) (refs\/.+)$/gm)) refs.set(ref, sha)
  const root = join(gitDir, 'refs')
  if (!existsSync(root)) return refs
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.lock')) continue
    const path = join(entry.parentPath, entry.name)
    const sha = readLoose(path)
    if (sha !== undefined) refs.set(relative(gitDir, path).replaceAll(sep, '/'), sha)
  }
  return refs
}

export function isSha(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text)
}

function readLoose(path: string): string | undefined {
  const text = readIfThere(path)?.trim() ?? ''
  return isSha(text) ? text : undefined
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EISDIR') return undefined
    throw error
  }
}

/** The branch of a run: `run-<runId>` for every id that may stand in a branch name, and another safe name for others. */
export function branchOf(runId: string): string {
  return `run-${isSafe(runId) ? runId : escaped(runId)}`
}

export function branchRef(branch: string): string {
  return `refs/heads/${branch}`
}

/** `refs/weave/safety/<timestamp>`; the timestamp has no characters that a ref may not have. */
export function safetyRef(time: Date): string {
  return `${safetyPrefix}${time.toISOString().replaceAll(':', '')}`
}

export const safetyPrefix = 'refs/weave/safety/'

/** Of the version that a codon of a run began with. */
export function beforeRef(runId: string, codonId: string): string {
  return `refs/weave/before/${branchOf(runId)}/${isSafe(codonId) ? codonId : escaped(codonId)}`
}

/** Keeps what the last scan for a plan or a diff stored, until a checkpoint does. */
export const scanRef = 'refs/weave/look'

const longestId = 150

function isSafe(id: string): boolean {
  return id.length <= longestId && /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(id) && !id.endsWith('.lock')
}

/** `%` is in no safe id, so two ids never share a branch. */
function escaped(id: string): string {
  const digest = createHash('sha256').update(id, 'utf16le').digest('hex').slice(0, 16)
  return `${id.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 50)}%${digest}`
}

export type ResolvedSha = Result<
  { readonly sha: string },
  { readonly reason: 'too-short' | 'unknown' | 'ambiguous' }
>

/** The one known checkpoint that begins so. git is not asked: what a client sends never gets to it. */
export function resolveSha(prefix: string, known: Iterable<string>): ResolvedSha {
  if (prefix.length < shortest) return { ok: false, reason: 'too-short' }
  const wanted = prefix.toLowerCase()
  const [sha, ...others] = [...new Set(known)].filter(candidate => candidate.startsWith(wanted))
  if (sha === undefined) return { ok: false, reason: 'unknown' }
  return others.length === 0 ? { ok: true, sha } : { ok: false, reason: 'ambiguous' }
}

const shortest = 4
