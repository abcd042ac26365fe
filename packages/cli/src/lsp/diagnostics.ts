import { dirname, resolve } from 'node:path'
import type { Problem } from '@weave/runtime'
import {
  type CodeAction,
  CodeActionKind,
  type Diagnostic,
  DiagnosticSeverity,
  type Range,
  type TextEdit,
} from 'vscode-languageserver/node'
import { ruleAddress } from '../program.ts'
import type { CheckedHank } from './hank-checks.ts'
import { addressOf } from './open-files.ts'

type Place = NonNullable<Problem['place']>
type Fix = NonNullable<Problem['fixes']>[number]

/** A problem in the file that it is about. */
export interface PlacedProblem {
  readonly path: string
  readonly problem: Problem
  readonly range: Range
}

/** Every problem of a check by its file. One without a place is told at the beginning of the hank. */
export function placedProblems({ hank, problems }: CheckedHank): readonly PlacedProblem[] {
  return problems.map(problem => {
    const { place, end } = problem
    if (!place) return { path: hank, problem, range: rangeOf(start, start) }
    const isSame = end !== undefined && end.file === place.file
    const path = resolve(dirname(hank), place.file)
    return { path, problem, range: shown(rangeOf(place, isSame ? end : place)) }
  })
}

/** What is about a whole codon is marked at its beginning: no one wants forty red lines. */
function shown({ start: from, end }: Range): Range {
  return end.line === from.line
    ? { start: from, end }
    : { start: from, end: { line: from.line, character: from.character + 1 } }
}

const start: Place = { file: '', line: 1, column: 1 }

export function diagnosticOf({ problem, range }: PlacedProblem): Diagnostic {
  const { severity, code, message, where } = problem
  return {
    range,
    severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    source: 'weave',
    code,
    codeDescription: { href: ruleAddress(code) },
    message: where === '' ? message : `${where}: ${message}`,
  }
}

/** A quick fix for each fix of a problem that touches a range, the only one of a problem marked as the one to take. */
export function quickFixes(problems: readonly PlacedProblem[], within: Range): readonly CodeAction[] {
  return problems.flatMap(placed => {
    const fixes = touches(placed.range, within) ? (placed.problem.fixes ?? []) : []
    return fixes.map(fix => ({
      title: fix.title,
      kind: CodeActionKind.QuickFix,
      diagnostics: [diagnosticOf(placed)],
      isPreferred: fixes.length === 1,
      edit: { changes: { [addressOf(placed.path)]: editsOf(fix) } },
    }))
  })
}

/** All fixes of errors that leave no choice, in one action; none of two that touch each other. What works is left as it is. */
export function fixAll(problems: readonly PlacedProblem[]): CodeAction | undefined {
  const edits: TextEdit[] = []
  let path = ''
  for (const { path: own, problem } of problems) {
    const [only, ...others] = problem.severity === 'error' ? (problem.fixes ?? []) : []
    if (!only || others.length > 0) continue
    const added = editsOf(only)
    if (added.some(one => edits.some(({ range }) => touches(range, one.range)))) continue
    edits.push(...added)
    path = own
  }
  if (edits.length === 0) return undefined
  return {
    title: 'Mend all that can be mended without a choice',
    kind: `${CodeActionKind.SourceFixAll}.weave`,
    edit: { changes: { [addressOf(path)]: edits } },
  }
}

function editsOf({ edits }: Fix): TextEdit[] {
  return edits.map(({ start: from, end, text }) => ({ range: rangeOf(from, end), newText: text }))
}

function rangeOf(from: Place, to: Place): Range {
  return {
    start: { line: from.line - 1, character: from.column - 1 },
    end: { line: to.line - 1, character: to.column - 1 },
  }
}

function touches(left: Range, right: Range): boolean {
  return !isBefore(left.end, right.start) && !isBefore(right.end, left.start)
}

function isBefore(left: Range['start'], right: Range['start']): boolean {
  return left.line < right.line || (left.line === right.line && left.character < right.character)
}
