import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'

/**
 * The sources of which something is in a bundle, as whole paths.
 *
 * @param {import('esbuild').Metafile} metafile
 * @param {string} workingDirectory what its paths are relative to
 */
export function inputsOf({ outputs }, workingDirectory) {
  const used = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  )
  return [...new Set(used)].map(path => resolve(workingDirectory, path)).sort()
}

/**
 * A package of somebody else that is in a bundle.
 *
 * @typedef {object} Inlined
 * @property {string} name
 * @property {string} version
 * @property {string} license as its manifest says it
 * @property {string} place its folder, relative to the repository, as the lockfile names it
 * @property {string | undefined} text its licence, when it ships one
 */

/**
 * The packages that sources come from, by name and version; copies of the same version count once.
 *
 * @param {readonly string[]} inputs
 * @param {string} root
 * @returns {Inlined[]}
 */
export function inlinedPackages(inputs, root) {
  const folders = new Set(inputs.flatMap(input => packageFolder(input) ?? []))
  /** @type {Map<string, Inlined>} */
  const known = new Map()
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const place = relative(root, folder).split(sep).join('/')
    const id = `${name}@${version}`
    if (!known.has(id)) known.set(id, { name, version, license, place, text: licenceIn(folder) })
  }
  return [...known.entries()].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, each]) => each)
}

/** The innermost package that a file belongs to. @param {string} file */
function packageFolder(file) {
  const marker = `${sep}node_modules${sep}`
  const at = file.lastIndexOf(marker)
  if (at < 0) return undefined
  const [first = '', second = ''] = file.slice(at + marker.length).split(sep)
  return file.slice(0, at) + marker + (first.startsWith('@') ? join(first, second) : first)
}

/** @param {string} folder */
function licenceIn(folder) {
  const file = readdirSync(folder).find(name => /^(?:licen[cs]e|copying)(?:[.-].*)?$/i.test(name))
  return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8').trim()
}
