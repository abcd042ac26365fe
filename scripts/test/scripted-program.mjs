import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { bundleProgram } from '../bundle/program.mjs'
import { root } from '../repository.mjs'

/**
 * The command with scripted agents, `test/support/scripted-weave.ts`, as a program. It is built like the real one, so that its
 * starts are as quick, and once for all workers and runs until one of its sources changes.
 */

const cache = join(root, 'node_modules/.cache/weave-scripted')
const sources = [
  ...readdirSync(join(root, 'packages')).flatMap(name => [
    `packages/${name}/src`,
    `packages/${name}/package.json`,
  ]),
  'scripts/bundle',
  'test/support',
  'package-lock.json',
]
const dayMs = 24 * 60 * 60 * 1000

/** @returns {Promise<string>} the path of the program */
export async function scriptedProgram() {
  const folder = join(cache, stampOf(sources))
  if (!existsSync(folder)) await build(folder)
  const now = new Date()
  utimesSync(folder, now, now)
  return join(folder, 'dist/weave.cjs')
}

/** Where it is built by several at once, the first to be done wins. @param {string} folder */
async function build(folder) {
  mkdirSync(cache, { recursive: true })
  removeOld()
  const draft = mkdtempSync(join(cache, 'draft-'))
  // What is not taken into the bundle is found as from within the repository.
  symlinkSync(join(root, 'node_modules'), join(draft, 'node_modules'))
  await bundleProgram({
    entry: join(root, 'test/support/scripted-weave.ts'),
    outdir: join(draft, 'dist'),
    name: 'weave',
    external: [
      '@anthropic-ai/claude-agent-sdk',
      '@earendil-works/pi-ai',
      '@earendil-works/pi-coding-agent',
      'weave-fleet',
    ],
    define: { __WEAVE_VERSION__: '"0.0.0-scripted"' },
  })
  try {
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(draft, { recursive: true, force: true })
  }
}

/** What nobody has asked for since yesterday. */
function removeOld() {
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name)
    const at = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (Date.now() - at > dayMs) rmSync(folder, { recursive: true, force: true })
  }
}

/** Tells one state of the sources from every other. @param {readonly string[]} paths */
function stampOf(paths) {
  const hash = createHash('sha256').update(root)
  /** @param {string} path */
  const add = path => {
    const stat = statSync(join(root, path))
    if (!stat.isDirectory()) hash.update(`${path}\n${stat.mtimeMs}\n${stat.size}\n`)
    else for (const name of readdirSync(join(root, path)).sort()) add(`${path}/${name}`)
  }
  for (const path of paths) add(path)
  return hash.digest('hex').slice(0, 16)
}
