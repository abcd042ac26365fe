import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const mostBytes = 1_900_000

/** @typedef {{ filename: string, size: number, unpackedSize: number, files: { path: string }[] }} Packed */

/**
 * Packs a package as `npm publish` would.
 *
 * @param {string} source
 * @param {string} target the folder for the file
 * @returns {Packed}
 */
export function pack(source, target) {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', target]
  const stdio = /** @type {['ignore', 'pipe', 'ignore']} */ (['ignore', 'pipe', 'ignore'])
  return JSON.parse(execFileSync('npm', words, { cwd: source, encoding: 'utf8', stdio }))[0]
}

/**
 * Whether it holds just the files of the list, and is not too big. A `*` in the list stands for a part of a name, as
 * chunks are named after their text.
 *
 * @param {Packed} packed
 * @param {string} folder the one with the list
 * @returns {string[]} what is wrong
 */
export function packedProblems({ files, size }, folder) {
  const text = readFileSync(join(folder, 'packed-files.txt'), 'utf8')
  const patterns = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  const tests = patterns.map(pattern => ({ pattern, fits: fitting(pattern) }))
  const paths = files.map(({ path }) => path)
  return [
    ...paths
      .filter(path => !tests.some(({ fits }) => fits(path)))
      .map(path => `${path} is packed, but not in the list`),
    ...tests
      .filter(({ fits }) => !paths.some(fits))
      .map(({ pattern }) => `${pattern} is in the list, but not packed`),
    ...(size > mostBytes ? [`the archive has ${size} bytes; at most ${mostBytes} are allowed`] : []),
  ]
}

/** @param {string} pattern @returns {(path: string) => boolean} */
function fitting(pattern) {
  const source = pattern
    .split('*')
    .map(part => part.replace(/[.\\+?^${}()|[\]]/g, '\\$&'))
    .join('[^/]*')
  const whole = new RegExp(`^${source}$`)
  return path => whole.test(path)
}
