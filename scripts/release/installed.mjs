import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const mostBytes = 15_000_000
const mostSeconds = 5

/**
 * Installs the archive where nothing else is, as `npm install -g` does, and uses it as somebody does who has just got it.
 *
 * @param {{ archive: string, folder: string, root: string, version: string }} options `folder`: an empty one
 * @returns {{ problems: string[], seconds: number, bytes: number }}
 */
export function tryInstalled({ archive, folder, root, version }) {
  const home = join(folder, 'home')
  mkdirSync(home)
  const env = { PATH: process.env['PATH'], HOME: home, npm_config_cache: join(folder, 'npm'), CI: '1' }
  const since = performance.now()
  const words = ['install', '-g', '--prefix', folder, '--no-audit', '--no-fund', archive]
  const install = spawnSync('npm', words, { cwd: folder, env, encoding: 'utf8' })
  const seconds = (performance.now() - since) / 1000
  if (install.status !== 0) return { problems: [`npm install failed: ${install.stderr}`], seconds, bytes: 0 }
  const library = join(folder, 'lib/node_modules')
  const bytes = bytesIn(library)
  const weave = (/** @type {string[]} */ ...args) =>
    spawnSync(join(folder, 'bin/weave'), args, { cwd: folder, env, encoding: 'utf8' })
  const problems = [
    ...(readdirSync(library).join() === 'weave-runtime'
      ? []
      : [`it brought ${readdirSync(library).join(', ')}`]),
    ...(bytes > mostBytes ? [`it takes ${bytes} bytes on disk`] : []),
    ...unexpected('--version', weave('--version'), { status: 0, words: [version] }),
    ...unexpected('init', weave('init', 'hank'), { status: 0, words: ['weave harness add claude'] }),
    ...unexpected('validate', weave('validate', 'hank', '--skip-self-test'), {
      status: 0,
      words: ['Configuration is valid!', 'The Claude Agent SDK is not installed.'],
    }),
    ...unexpected('rehearse without a harness', weave('rehearse', 'hank', '--headless'), {
      status: 1,
      words: ['weave harness add claude'],
    }),
    ...rehearsed({ home, root, weave }),
  ]
  return { problems, seconds, bytes }
}

/**
 * The first `npx` of somebody whose npm has never fetched anything. Its cache holds the package twice, packed and not, and
 * what npm reads about the optional peers.
 *
 * @param {{ archive: string, folder: string, version: string }} options
 * @returns {{ problems: string[], seconds: number, bytes: number }}
 */
export function tryFirstNpx({ archive, folder, version }) {
  const cache = join(folder, 'first-npx')
  mkdirSync(cache)
  const env = { PATH: process.env['PATH'], HOME: cache, npm_config_cache: cache, CI: '1' }
  const since = performance.now()
  const said = spawnSync('npx', ['--yes', '--package', archive, 'weave', '--version'], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  const seconds = (performance.now() - since) / 1000
  const bytes = bytesIn(cache)
  const problems = [
    ...unexpected('--version by npx', said, { status: 0, words: [version] }),
    ...(bytes > mostBytes ? [`a first npx takes ${bytes} bytes on disk`] : []),
    ...(seconds > mostSeconds ? [`a first npx takes ${seconds.toFixed(1)} s`] : []),
  ]
  return { problems, seconds, bytes }
}

/**
 * With the SDK of the repository in the place where `weave harness add` would put it.
 *
 * @param {{ home: string, root: string, weave: (...args: string[]) => Said }} options
 */
function rehearsed({ home, root, weave }) {
  const own = join(home, '.weave/harnesses/claude')
  mkdirSync(own, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(own, 'node_modules'))
  return unexpected('rehearse', weave('rehearse', 'hank', '--headless', '--port', '0'), {
    status: 0,
    words: ['The hank is done'],
  })
}

/** @typedef {{ status: number | null, stdout: string, stderr: string }} Said */

/** @param {string} what @param {Said} said @param {{ status: number, words: string[] }} expected */
function unexpected(what, { status, stdout, stderr }, expected) {
  const text = stdout + stderr
  const missing = expected.words.filter(word => !text.includes(word))
  if (status === expected.status && missing.length === 0) return []
  return [`weave ${what}: exit ${status}, without "${missing.join('", "')}":\n${text}`]
}

/** @param {string} path @returns {number} */
function bytesIn(path) {
  const stat = lstatSync(path)
  if (!stat.isDirectory()) return stat.size
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
}
