import { isBuiltin } from 'node:module'
import { posix } from 'node:path'

/** @import { RepoFile } from '../layers.mjs' */

/** The workspace whose folders are rooms. */
export const housedIn = 'runtime'

/**
 * Where a file lives. `room` is the folder (or the single file) right under the `src` of the runtime.
 *
 * @typedef {{ workspace?: string, area?: string, room?: string }} Home
 */

/** @param {string} path @returns {Home} */
export function homeOf(path) {
  const [top, workspace, area, room] = path.split('/')
  if (top !== 'packages' || workspace === undefined || area === undefined) return {}
  const hasRooms = workspace === housedIn && area === 'src' && room !== undefined
  return hasRooms ? { workspace, area, room } : { workspace, area }
}

/** @param {string} path */
export function isCode(path) {
  return /\.(?:[cm]?[jt]s|tsx)$/.test(path)
}

/** @param {string} path */
export function isSource(path) {
  return isCode(path) && homeOf(path).area === 'src'
}

/** @param {string} path */
export function isTest(path) {
  return path.startsWith('test/') || homeOf(path).area === 'test'
}

/**
 * What an import names.
 *
 * @typedef {{ kind: 'file', path: string }
 *   | { kind: 'workspace', workspace: string, path: string }
 *   | { kind: 'builtin', name: string }
 *   | { kind: 'package', name: string }} Target
 */

/**
 * Resolves imports by the names and `exports` of the workspaces' own `package.json` files.
 *
 * @param {readonly RepoFile[]} files
 * @returns {(from: string, specifier: string) => Target}
 */
export function createResolver(files) {
  const workspaces = new Map(files.filter(isManifest).map(file => [nameIn(file), file]))
  return (from, specifier) => {
    if (specifier.startsWith('.')) return { kind: 'file', path: posix.join(posix.dirname(from), specifier) }
    if (isBuiltin(specifier)) return { kind: 'builtin', name: specifier }
    const name = packageName(specifier)
    const manifest = workspaces.get(name)
    if (!manifest) return { kind: 'package', name }
    const workspace = homeOf(`${posix.dirname(manifest.path)}/src/`).workspace ?? name
    return { kind: 'workspace', workspace, path: exportedPath(manifest, `.${specifier.slice(name.length)}`) }
  }
}

/** @param {RepoFile} file */
function isManifest({ path }) {
  return /^packages\/[^/]+\/package\.json$/.test(path)
}

/** @param {RepoFile} manifest @returns {string} */
function nameIn({ text }) {
  return JSON.parse(text).name
}

/** @param {string} specifier */
function packageName(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/**
 * The source file behind an export, or '' where the manifest has no such export.
 *
 * @param {RepoFile} manifest
 * @param {string} key
 */
function exportedPath(manifest, key) {
  const source = JSON.parse(manifest.text).exports?.[key]?.['weave-source']
  return typeof source === 'string' ? posix.join(posix.dirname(manifest.path), source) : ''
}
