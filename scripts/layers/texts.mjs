import { lineAt } from './parse.mjs'
import { homeOf, isCode, isSource, isTest } from './places.mjs'

/** @import { RepoFile, Rules, Violation } from '../layers.mjs' */
/** @import { Parsed } from './parse.mjs' */

/** Names, sizes and words: what one file alone can break. */

/** @param {RepoFile} file @param {Rules} rules @returns {Violation[]} */
export function nameProblems({ path }, { forbiddenNames }) {
  const stems = path.split('/').map(part => part.replace(/(?<=.)\..*$/, ''))
  const bad = stems.find(stem => forbiddenNames.some(name => fits(stem, name)))
  if (bad === undefined) return []
  return [
    {
      path,
      line: 1,
      message: `is called "${bad}", which says nothing; name it after the one thing it holds.`,
    },
  ]
}

/** @param {RepoFile} file @param {Rules} rules @returns {Violation[]} */
export function sizeProblems({ path, text }, { lines }) {
  if (!isCode(path) || isTest(path) || lines.exempt.includes(path)) return []
  const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  if (count <= lines.cap) return []
  return [
    {
      path,
      line: lines.cap + 1,
      message: `has ${count} lines; the cap is ${lines.cap}. Split it by subject.`,
    },
  ]
}

/** @param {RepoFile} file @param {Parsed} parsed @returns {Violation[]} */
export function anyProblems({ path }, { anys }) {
  if (!isSource(path)) return []
  return anys.map(line => ({
    path,
    line,
    message: 'has the type any; say what it is, or unknown and narrow it.',
  }))
}

const suppression = /biome-ignore|eslint-disable|oxlint-disable|@ts-ignore|@ts-nocheck|@ts-expect-error/g

/** @param {RepoFile} file @param {Parsed} parsed @returns {Violation[]} */
export function suppressionProblems({ path, text }, { comments }) {
  return comments.flatMap(comment =>
    [...comment.text.matchAll(suppression)]
      .filter(match => !(isTest(path) && match[0] === '@ts-expect-error'))
      .map(match => ({
        path,
        line: lineAt(text, comment.offset + match.index),
        message: `switches a rule off with ${match[0]}; change the code so that it keeps the rule.`,
      })),
  )
}

/** @param {RepoFile} file @param {Parsed} parsed @param {Rules} rules @returns {Violation[]} */
export function referenceProblems({ path, text }, { comments }, rules) {
  const { workspace = '' } = homeOf(path)
  if (!isSource(path) || !rules.workspaces[workspace]?.browserSafe) return []
  return comments
    .filter(comment => /^\/\/\/\s*<reference\s+types\s*=\s*["']node["']/.test(comment.text))
    .map(comment => ({
      path,
      line: lineAt(text, comment.offset),
      message: `asks for the types of Node; ${workspace} also runs in browsers.`,
    }))
}

/**
 * A reader of the code must be able to open what a comment cites.
 *
 * @param {RepoFile} file @param {Parsed} parsed @param {Rules} rules @returns {Violation[]}
 */
export function citationProblems({ path, text }, { comments }, { citations }) {
  if (!isSource(path) && !path.startsWith('scripts/')) return []
  return comments.flatMap(comment =>
    citations
      .flatMap(pattern => [...comment.text.matchAll(new RegExp(pattern, 'gi'))])
      .map(match => ({
        path,
        line: lineAt(text, comment.offset + match.index),
        message: `cites "${match[0]}", which is not in the repository; give the reason itself, or the id of a requirement.`,
      })),
  )
}

/** @param {RepoFile} file @param {Rules} rules @returns {Violation[]} */
export function machinePathProblems({ path, text }, { machinePaths }) {
  return machinePaths.forbidden.flatMap(pattern =>
    [...text.matchAll(new RegExp(pattern, 'g'))]
      .filter(match => !machinePaths.harmless.includes(match[0]))
      .map(match => ({
        path,
        line: lineAt(text, match.index),
        message: `names a path of somebody's machine (${match[0]}); make it relative, or use ${machinePaths.harmless[0]}.`,
      })),
  )
}

/** @param {string} stem @param {string} name a word, or `*-word` */
function fits(stem, name) {
  return name.startsWith('*') ? stem.endsWith(name.slice(1)) : stem === name
}
