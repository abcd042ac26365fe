import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** @import { RepoFile, Rules, Violation } from './layers.mjs' */

export const root = fileURLToPath(new URL('..', import.meta.url))

/** What git ignores; a walk needs no git and no process. */
const ignored =
  /(?:^|\/)(?:node_modules|dist|coverage|\.git|\.weave|weave-results|\.vitepress\/(?:cache|\.temp))$|bench\/results\/local[^/]*$|^packages\/cli\/(?:LICENSE|THIRD-PARTY-NOTICES\.md|sbom\.cdx\.json)$|\.tsbuildinfo$/

/** @returns {RepoFile[]} */
export function readRepository() {
  return pathsUnder('').flatMap(path => {
    const text = readFileSync(join(root, path), 'utf8')
    return text.includes('\0') ? [] : [{ path, text }]
  })
}

/** @returns {Rules} */
export function readRules() {
  return JSON.parse(readFileSync(join(root, 'layers.json'), 'utf8'))
}

/**
 * @param {string} subject
 * @param {readonly Violation[]} violations
 */
export function report(subject, violations) {
  for (const { path, line, message } of violations) console.log(`${path}:${line} ${message}`)
  if (violations.length === 0) return
  console.log(`\n${violations.length} ${subject} ${violations.length === 1 ? 'problem' : 'problems'}`)
  process.exitCode = 1
}

/** @param {string} folder @returns {string[]} */
function pathsUnder(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (ignored.test(path)) return []
    if (entry.isDirectory()) return pathsUnder(path)
    return entry.isFile() ? [path] : []
  })
}

/**
 * When something at `path` or below it last changed; a folder changes when a file in it comes or goes.
 *
 * @param {string} path
 * @returns {number}
 */
export function newest(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map(name => newest(join(path, name))))
}
