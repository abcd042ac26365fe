import { lstatSync, mkdirSync, symlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { shellFor } from '../effects/index.ts'
import { checkRelativeSpelling, removeTree } from '../files/index.ts'
import { type ProcessOptions, type ProcessResult, type Result, run } from '../kit/index.ts'
import { dataSourceName } from '../tree/index.ts'
import { type Judgement, judge } from './bisect-verdict.ts'
import type { ReadPlace } from './read-place.ts'
import type { ThreadVersion } from './thread-versions.ts'

export interface CheckOptions {
  /** Program and arguments; no shell. */
  readonly command: readonly string[]
  /** Paths of the workspace that are linked. */
  readonly links: readonly string[]
  /** A line for the shell. */
  readonly setup?: string | undefined
  readonly repeat: number
  readonly timeoutMs?: number | undefined
  readonly signal: AbortSignal
  /** Ours, and gone when the search ends. */
  readonly scratch: string
}

/**
 * Tests one version: its files in a directory of their own, never the workspace, with the command in it. All that it
 * started and the directory are gone when this resolves or rejects. Rejects with the reason of the signal.
 */
export async function checkVersion(
  version: ThreadVersion,
  place: ReadPlace,
  options: CheckOptions,
): Promise<Judgement> {
  const { scratch, signal } = options
  const directory = join(scratch, version.sha)
  await mkdir(directory, { mode: 0o700 })
  try {
    const written = await place.versions.checkOut(version.sha, directory, { signal })
    if (!written.ok) return { verdict: 'stop', message: written.message }
    linkAround(directory, place, options.links)
    return await judged(version, directory, { place, options })
  } finally {
    await removeTree(directory)
  }
}

async function judged(
  version: ThreadVersion,
  directory: string,
  { place, options }: { readonly place: ReadPlace; readonly options: CheckOptions },
): Promise<Judgement> {
  const { setup, command, repeat, timeoutMs, signal } = options
  const running: ProcessOptions = {
    cwd: directory,
    env: { ...place.environment, ...variablesOf(version) },
    marker: `WEAVE_BISECT=${directory}`,
    premises: directory,
    graceMs: 1_000,
    maxCaptureBytes: 64 << 10,
    clock: place.clock,
    timeoutMs,
    signal,
  }
  const ended = async (words: readonly string[]): Promise<ProcessResult> => {
    const [program = '', ...args] = words
    const result = await run(program, args, running)
    signal.throwIfAborted()
    return result
  }
  if (setup !== undefined) {
    const [shell, args] = shellFor(setup, place.environment)
    const { code } = await ended([shell, ...args])
    if (code !== 0) return { verdict: 'skip', reason: `the setup ended with ${code ?? 'a signal'}` }
  }
  let judgement: Judgement = { verdict: 'good', reason: '' }
  for (let time = 0; time < repeat; time++) {
    judgement = judge(await ended(command))
    if (judgement.verdict !== 'good') return judgement
  }
  return judgement
}

function variablesOf({ sha, type, codonId }: ThreadVersion): Readonly<Record<string, string>> {
  return { WEAVE_BISECT_CODON: codonId, WEAVE_BISECT_SHA: sha, WEAVE_BISECT_TYPE: type }
}

/** The data, and what the workspace has and no version. What the version itself has stays. Throws the system's error. */
function linkAround(directory: string, { layout }: ReadPlace, links: readonly string[]): void {
  for (const path of [dataSourceName, ...links]) {
    const target = join(layout.agentRoot, path)
    const at = join(directory, path)
    if (!isThere(target) || isThere(at)) continue
    mkdirSync(dirname(at), { recursive: true })
    symlinkSync(target, at)
  }
}

/** Paths to link, as they may be joined to a directory; or which of them is none. */
export function linksOf(
  paths: readonly string[],
  { layout }: ReadPlace,
): Result<{ readonly links: readonly string[] }> {
  const links: string[] = []
  for (const path of paths) {
    const spelled = checkRelativeSpelling(path)
    if (!spelled.ok || spelled.components.length === 0)
      return { ok: false, message: `--link takes a path inside the workspace, and ${path} is none.` }
    const link = spelled.components.join('/')
    if (!isThere(join(layout.agentRoot, link)))
      return { ok: false, message: `There is no ${link} in the workspace to link: ${layout.agentRoot}` }
    links.push(link)
  }
  return { ok: true, links }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
