import { posix } from 'node:path'
import { lineAt, parseJsonWithComments } from './parse.mjs'

/** @import { RepoFile, Rules, SwitchedOff, Violation } from '../layers.mjs' */

/** Rules about configuration files: lint rules that are off, and types of Node where a browser must do. */

const lintConfigs = ['biome.json', '.oxlintrc.json']

/** @param {readonly RepoFile[]} files @param {Rules} rules @returns {Violation[]} */
export function switchedOffProblems(files, { switchedOff }) {
  const found = files
    .filter(file => lintConfigs.includes(posix.basename(file.path)))
    .flatMap(file => offIn(parsed(file)).map(off => ({ ...off, file })))
  const unexplained = found
    .filter(off => !switchedOff.some(entry => isSame(entry, off)))
    .map(({ file, rule }) => ({
      path: file.path,
      line: lineAt(file.text, file.text.indexOf(`"${rule.split('/').at(-1)}"`)),
      message: `switches off ${rule}; keep the rule, or give the reason under switchedOff in layers.json.`,
    }))
  const needless = switchedOff
    .filter(entry => files.some(file => file.path === entry.file))
    .filter(entry => !found.some(off => isSame(entry, off)))
    .map(({ file, rule }) => ({
      path: 'layers.json',
      line: 1,
      message: `excuses ${rule}, which is not off in ${file}; remove the entry.`,
    }))
  return [...unexplained, ...needless]
}

/** @param {readonly RepoFile[]} files @param {Rules} rules @returns {Violation[]} */
export function nodeTypesProblems(files, rules) {
  const safe = Object.entries(rules.workspaces).filter(([, place]) => place.browserSafe)
  return safe.flatMap(([workspace]) => {
    const config = files.find(file => file.path === `packages/${workspace}/tsconfig.json`)
    const manifest = files.find(file => file.path === `packages/${workspace}/package.json`)
    const types = config ? typesOf(config, files) : []
    const problems = []
    if (config && (types === undefined || types.some(name => name === 'node' || name === '*'))) {
      const message = `lets the types of Node in; ${workspace} also runs in browsers: set "types" to [].`
      problems.push({ path: config.path, line: 1, message })
    }
    if (manifest?.text.includes('"@types/node"')) {
      const line = lineAt(manifest.text, manifest.text.indexOf('"@types/node"'))
      problems.push({
        path: manifest.path,
        line,
        message: `depends on @types/node; ${workspace} also runs in browsers.`,
      })
    }
    return problems
  })
}

/**
 * The effective `types` of a tsconfig, through `extends`.
 *
 * @param {RepoFile} config
 * @param {readonly RepoFile[]} files
 * @returns {string[] | undefined}
 */
function typesOf(config, files) {
  const { compilerOptions, extends: parent } = parsed(config)
  if (compilerOptions?.types) return compilerOptions.types
  if (typeof parent !== 'string') return undefined
  const path = posix.join(posix.dirname(config.path), parent)
  const base = files.find(file => file.path === path)
  return base && typesOf(base, files)
}

/**
 * Every rule (or whole linter) that a configuration switches off, with the globs it is switched off for.
 *
 * @param {Record<string, unknown>} config
 * @returns {{ rule: string, in?: string[] }[]}
 */
function offIn(config) {
  const overrides = Array.isArray(config['overrides']) ? config['overrides'] : []
  return [
    ...offUnder(config).map(rule => ({ rule })),
    ...overrides.flatMap(override =>
      offUnder(override).map(rule => ({ rule, in: override.includes ?? override.files ?? [] })),
    ),
  ]
}

/** @param {Record<string, unknown>} config @returns {string[]} */
function offUnder({ linter, rules, categories }) {
  return [...offRules(linter), ...offRules(rules), ...offRules(categories)]
}

/** @param {unknown} value @param {string} [name] @returns {string[]} */
function offRules(value, name = '') {
  const level = Array.isArray(value) ? value[0] : value
  const isSwitch = /(?:^|\/)(?:enabled|recommended)$/.test(name)
  if (level === 'off' || level === 'allow' || level === 'none' || level === 0) return [name]
  if (isSwitch && level === false) return [name]
  if (typeof level !== 'object' || level === null) return []
  return Object.entries(level).flatMap(([key, inner]) => {
    if (key === 'options') return []
    const transparent = key === 'rules' || key === 'level'
    return offRules(inner, transparent ? name : [name, key].filter(Boolean).join('/'))
  })
}

/** @param {SwitchedOff} entry @param {{ rule: string, in?: string[], file: RepoFile }} off */
function isSame(entry, off) {
  return (
    entry.file === off.file.path &&
    entry.rule === off.rule &&
    (entry.in ?? []).join() === (off.in ?? []).join()
  )
}

/** @param {RepoFile} file */
function parsed({ text }) {
  return parseJsonWithComments(text)
}
