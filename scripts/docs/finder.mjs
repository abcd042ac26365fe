import { posix } from 'node:path'

/** @import { RepoFile, Rules } from '../layers.mjs' */

/**
 * Looks paths up as a reader of the docs would.
 *
 * - `looksLikeOurs`: does a back-ticked word claim to be a path of this repository?
 * - `exists`: is there such a file or folder, from the root, beside the page, or as the end of a longer path?
 * - `linked`: the path behind the address of a link, or nothing.
 *
 * @typedef {{
 *   looksLikeOurs: (text: string, from: string) => boolean,
 *   exists: (text: string, from: string) => boolean,
 *   linked: (address: string, from: string) => string | undefined,
 *   textOf: (path: string) => string | undefined,
 * }} Finder
 */

/**
 * @param {readonly RepoFile[]} files
 * @param {Rules['docs']} names
 * @returns {Finder}
 */
export function createFinder(files, { folders, notOurs }) {
  const texts = new Map(files.map(file => [file.path, file.text]))
  const all = [...new Set([...texts.keys()].flatMap(withFolders))]
  const paths = new Set(all)

  return {
    looksLikeOurs(text, from) {
      if (!/^[\w@.*{},<>/-]+(?::\d+)?$/.test(text) || /\.\.\.|^[./@<*-]/.test(text)) return false
      if (notOurs.includes(posix.basename(text)) || /(?:^|\/)(?:dist|node_modules)(?:\/|$)/.test(text))
        return false
      const inFolder = text.includes('/') && folders.includes(text.split('/')[0] ?? '')
      // In an example a file name by itself is mostly one that the run will write.
      if (inFolder || from.startsWith('examples/')) return inFolder
      return /[\w}>]\.(?:md|ts|tsx|mjs|cjs|json)(?::\d+)?$/.test(text)
    },
    exists(text, from) {
      const wanted = text.replace(/:\d+$/, '').replace(/\/$/, '')
      if (paths.has(wanted) || paths.has(posix.join(posix.dirname(from), wanted))) return true
      const pattern = patternOf(wanted)
      return all.some(path => pattern.test(path))
    },
    linked(address, from) {
      const spelled = decodeURIComponent(address).replace(/\/$/, '')
      const path = spelled.startsWith('/') ? spelled.slice(1) : posix.join(posix.dirname(from), spelled)
      return path === '.' || paths.has(path) ? path : undefined
    },
    textOf: path => texts.get(path),
  }
}

/**
 * A file and every folder above it.
 *
 * @param {string} path
 * @returns {string[]}
 */
function withFolders(path) {
  const folder = posix.dirname(path)
  return folder === '.' ? [path] : [path, ...withFolders(folder)]
}

/**
 * `journal/history.ts` fits at the end of a longer path; `*`, `<name>` and `{a,b}` stand for what they stand for.
 *
 * @param {string} wanted
 */
function patternOf(wanted) {
  const source = wanted
    .replace(/[.+^$()|[\]\\]/g, String.raw`\$&`)
    .replace(/\*\*\/?/g, '\0')
    .replace(/\*|<[^>]*>/g, '[^/]+')
    .replaceAll('\0', '.*')
    .replace(/\{([^}]*)\}/g, (_, list) => `(?:${list.replaceAll(',', '|')})`)
  return new RegExp(`(?:^|/)${source}$`)
}
