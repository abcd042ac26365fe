import { boundaryProblem } from './layers/boundaries.mjs'
import { nodeTypesProblems, switchedOffProblems } from './layers/configs.mjs'
import { cycleProblems } from './layers/cycles.mjs'
import { parse } from './layers/parse.mjs'
import { createResolver, isCode, isSource } from './layers/places.mjs'
import { figureProblems, roomProblems } from './layers/rooms.mjs'
import {
  anyProblems,
  citationProblems,
  machinePathProblems,
  nameProblems,
  referenceProblems,
  sizeProblems,
  suppressionProblems,
} from './layers/texts.mjs'

/** @import { RepoFile, Rules, Violation } from './layers.mjs' */
/** @import { Parsed } from './layers/parse.mjs' */

/**
 * @param {readonly RepoFile[]} files
 * @param {Rules} rules
 * @returns {Violation[]}
 */
export function findViolations(files, rules) {
  const code = files.filter(file => isCode(file.path)).map(file => ({ file, parsed: parse(file) }))
  const resolve = createResolver(files)
  const imports = code.flatMap(({ file, parsed }) =>
    parsed.imports.map(found => ({
      ...found,
      from: file.path,
      target: resolve(file.path, found.specifier),
    })),
  )
  return [
    ...imports.flatMap(found => {
      const message = boundaryProblem(found, rules)
      return message === undefined ? [] : [{ path: found.from, line: found.line, message }]
    }),
    ...cycleProblems(imports),
    ...roomProblems(files, rules),
    ...figureProblems(rules),
    ...code.flatMap(({ file, parsed }) => problemsIn(file, parsed, rules)),
    ...files.flatMap(file => [...nameProblems(file, rules), ...machinePathProblems(file, rules)]),
    ...switchedOffProblems(files, rules),
    ...nodeTypesProblems(files, rules),
  ].sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1))
}

/** @param {RepoFile} file @param {Parsed} parsed @param {Rules} rules @returns {Violation[]} */
function problemsIn(file, parsed, rules) {
  const reexports = isSource(file.path) ? parsed.exportsAll : []
  return [
    ...parsed.errors.map(({ line, message }) => ({
      path: file.path,
      line,
      message: `cannot be parsed: ${message}`,
    })),
    ...reexports.map(line => ({
      path: file.path,
      line,
      message: 'has export *; a door names what it offers.',
    })),
    ...sizeProblems(file, rules),
    ...anyProblems(file, parsed),
    ...suppressionProblems(file, parsed),
    ...referenceProblems(file, parsed, rules),
    ...citationProblems(file, parsed, rules),
  ]
}
