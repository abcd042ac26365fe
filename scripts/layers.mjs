import { boundaryProblem } from './layers/boundaries.mjs'
import { nodeTypesProblems, switchedOffProblems } from './layers/configs.mjs'
import { cycleProblems } from './layers/cycles.mjs'
import { exportAllLines, importsOf } from './layers/imports.mjs'
import { createResolver, isCode, isSource } from './layers/places.mjs'
import { roomProblems } from './layers/rooms.mjs'
import { scan } from './layers/scan.mjs'
import {
  anyProblems,
  machinePathProblems,
  nameProblems,
  referenceProblems,
  sizeProblems,
  suppressionProblems,
} from './layers/texts.mjs'

/** @import { RepoFile, Rules, Violation } from './layers.mjs' */
/** @import { Scanned } from './layers/scan.mjs' */

/**
 * @param {readonly RepoFile[]} files
 * @param {Rules} rules
 * @returns {Violation[]}
 */
export function findViolations(files, rules) {
  const code = files.filter(file => isCode(file.path)).map(file => ({ file, scanned: scan(file.text) }))
  const resolve = createResolver(files)
  const imports = code.flatMap(({ file, scanned }) =>
    importsOf(scanned).map(found => ({
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
    ...code.flatMap(({ file, scanned }) => problemsIn(file, scanned, rules)),
    ...files.flatMap(file => [...nameProblems(file, rules), ...machinePathProblems(file, rules)]),
    ...switchedOffProblems(files, rules),
    ...nodeTypesProblems(files, rules),
  ].sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1))
}

/** @param {RepoFile} file @param {Scanned} scanned @param {Rules} rules @returns {Violation[]} */
function problemsIn(file, scanned, rules) {
  const reexports = isSource(file.path) ? exportAllLines(scanned) : []
  return [
    ...reexports.map(line => ({
      path: file.path,
      line,
      message: 'has export *; a door names what it offers.',
    })),
    ...sizeProblems(file, rules),
    ...anyProblems(file, scanned),
    ...suppressionProblems(file, scanned),
    ...referenceProblems(file, scanned, rules),
  ]
}
