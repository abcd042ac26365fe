import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureDirDurably, syncDirectory, writeFileAtomic } from '../files/index.ts'
import { errorCode, run } from '../kit/index.ts'
import { cleanEnvironment, type Git } from '../tree/index.ts'

/** `undefined`: git is there and new enough. */
export interface GitTrouble {
  readonly message: string
  readonly cure: string
}

export async function checkGit(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<GitTrouble | undefined> {
  const result = await run('git', ['--version'], { env: cleanEnvironment(environment), timeoutMs: 10_000 })
  if (result.outcome === 'failed-to-start') return { message: 'git was not found', cure: installCure }
  const version = /(\d+)\.(\d+)(\.\d+)*/.exec(result.stdout)
  if (result.code !== 0 || !version) return { message: 'git does not say its version', cure: installCure }
  const [text, major, minor] = version
  const isEnough = Number(major) > leastMajor || (Number(major) === leastMajor && Number(minor) >= leastMinor)
  return isEnough ? undefined : { message: `git ${text} is too old for checkpoints`, cure: installCure }
}

const leastMajor = 2
const leastMinor = 30
const installCure = `Install git ${leastMajor}.${leastMinor} or newer and make sure that it is on the PATH`

/**
 * Makes the git directory, or gets an existing one ready: its configuration is ours again, and what a killed process left
 * half-done is gone. Whoever calls holds the execution, so nobody else is at work in it. Rejects with the system's error.
 */
export async function prepareStore(gitDir: string, git: Git): Promise<GitTrouble | undefined> {
  await ensureDirDurably(gitDir)
  if (!existsSync(join(gitDir, 'HEAD'))) {
    const made = await git(['init', '--quiet', '--bare', '--template=', '--object-format=sha1'], {
      writes: true,
    })
    if (!made.ok)
      return { message: `the checkpoints cannot be set up: ${made.message}`, cure: setUpCure(gitDir) }
  }
  removeLeftovers(gitDir)
  for (const folder of folders) await ensureDirDurably(join(gitDir, folder))
  for (const [name, text] of ownFiles) await keep(join(gitDir, name), text)
  await syncDirectory(gitDir)
  return undefined
}

/** The same for a new directory, without git, and with nothing sure to be on the disk. Throws the system's error. */
export function layOutStore(gitDir: string): void {
  for (const folder of folders) mkdirSync(join(gitDir, folder), { recursive: true, mode: 0o700 })
  for (const [name, text] of ownFiles) writeFileSync(join(gitDir, name), text, { mode: 0o600, flag: 'wx' })
}

/** A folder to find out in what the file system does. */
export const probesName = 'weave-probes'

const folders = ['objects/pack', 'objects/info', 'refs/heads', 'info', probesName]

function setUpCure(gitDir: string): string {
  return `Make sure that ${gitDir} can be written`
}

const configuration = `[core]
	repositoryFormatVersion = 0
	bare = true
	fileMode = true
	symlinks = true
	ignoreCase = false
	precomposeUnicode = false
	logAllRefUpdates = false
	hooksPath = /dev/null
	fsmonitor = false
	untrackedCache = false
	splitIndex = false
	preloadIndex = true
	trustCtime = true
	checkStat = default
	attributesFile = /dev/null
	excludesFile = /dev/null
	autocrlf = false
	safecrlf = false
	commitGraph = false
	multiPackIndex = false
	fsync = all
	bigFileThreshold = 32m
[gc]
	auto = 0
	autoDetach = false
[maintenance]
	auto = false
[pack]
	windowMemory = 256m
[protocol]
	allow = never
`

/** The highest of all sources of attributes: nothing that the workspace says about its files has a meaning here. */
const attributes = '* !text !eol !crlf !ident !filter !working-tree-encoding !diff !merge !export-subst\n'

const ownFiles: readonly (readonly [name: string, text: string])[] = [
  ['HEAD', 'ref: refs/heads/none\n'],
  ['config', configuration],
  ['info/attributes', attributes],
]

/** Writes only what is different, and over anything that stands there. */
async function keep(path: string, text: string): Promise<void> {
  if (readText(path) !== text) await writeFileAtomic(path, text)
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Locks of processes that are gone, and files that never got their name. */
function removeLeftovers(gitDir: string): void {
  rmSync(join(gitDir, probesName), { recursive: true, force: true })
  // Neither of these is ever ours; both would make git take objects from elsewhere.
  for (const name of ['alternates', 'http-alternates'])
    rmSync(join(gitDir, 'objects/info', name), { force: true })
  for (const entry of readdirSync(gitDir, { withFileTypes: true, recursive: true })) {
    if (!entry.isDirectory() && isLeftover(entry.name))
      rmSync(join(entry.parentPath, entry.name), { force: true })
  }
}

function isLeftover(name: string): boolean {
  return name.endsWith('.lock') || name.startsWith('tmp_') || name.startsWith('.tmp_')
}
