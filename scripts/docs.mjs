import { createFinder } from './docs/finder.mjs'
import { anchorsIn, linksIn, pathsIn } from './docs/markdown.mjs'

/** @import { RepoFile, Rules, Violation } from './layers.mjs' */
/** @import { Finder } from './docs/finder.mjs' */

/** What a reader of the repository reads. Other Markdown files are prompts and fixtures. */
const page = /^(?:(?:packages\/[^/]+\/|docs\/(?:.+\/)?)?[^/]+|examples\/(?:.+\/)?README)\.md$/

/**
 * @param {readonly RepoFile[]} files
 * @param {Rules} rules
 * @returns {Violation[]}
 */
export function findDeadReferences(files, rules) {
  const finder = createFinder(files, rules.docs)
  return files
    .filter(file => page.test(file.path))
    .flatMap(file => [...deadPaths(file, finder), ...deadLinks(file, finder)])
    .sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1))
}

/** @param {RepoFile} file @param {Finder} finder @returns {Violation[]} */
function deadPaths(file, finder) {
  return pathsIn(file.text)
    .filter(({ text }) => finder.looksLikeOurs(text, file.path) && !finder.exists(text, file.path))
    .map(({ text, line }) => ({
      path: file.path,
      line,
      message: `names \`${text}\`, which does not exist; correct the path, or say it without back-ticks.`,
    }))
}

/** @param {RepoFile} file @param {Finder} finder @returns {Violation[]} */
function deadLinks(file, finder) {
  return linksIn(file.text).flatMap(({ text: spelled, line }) => {
    const [address = '', anchor] = spelled.split('#')
    const target = address === '' ? file.path : finder.linked(address, file.path)
    if (target === undefined) {
      return [{ path: file.path, line, message: `links to ${spelled}, which does not exist.` }]
    }
    const text = finder.textOf(target)
    if (!anchor || text === undefined || !target.endsWith('.md') || anchorsIn(text).has(anchor)) return []
    return [
      { path: file.path, line, message: `links to ${spelled}, but ${target} has no heading #${anchor}.` },
    ]
  })
}
