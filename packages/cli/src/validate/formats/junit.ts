import { harmless } from 'weave-client'
import { inertLine } from './github.ts'
import { type FoundProblem, problemLine, type Verdict } from './verdict.ts'

/** What came of one codon of a run. */
export interface CodonCase {
  readonly codonId: string
  readonly seconds: number
  /** Why it failed. */
  readonly failure?: string | undefined
  /** It never came to its end, or was left out. */
  readonly isSkipped: boolean
}

/** The codons of a hank that was run. */
export interface RunCases {
  readonly file: string
  readonly codons: readonly CodonCase[]
}

/**
 * One suite for each hank: a failed case for each error, one case that passed for a hank without any; warnings as output.
 * Then one for each hank that was run, with a case for each codon.
 */
export function junitText(verdicts: readonly Verdict[], runs: readonly RunCases[] = []): string {
  const suites = [...verdicts.map(suiteOf), ...runs.map(runSuite)]
  const sum = (key: 'tests' | 'failures') => suites.reduce((total, suite) => total + suite[key], 0)
  const counts = { tests: sum('tests'), failures: sum('failures'), errors: 0 }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: runs.length > 0 ? 'weave ci' : 'weave validate', ...counts })}>`,
    ...suites.flatMap(({ lines }) => lines),
    '</testsuites>',
    '',
  ].join('\n')
}

interface Suite {
  readonly tests: number
  readonly failures: number
  readonly lines: readonly string[]
}

function suiteOf({ file, problems }: Verdict): Suite {
  const fresh = problems.filter(({ isKnown }) => !isKnown)
  const errors = fresh.filter(({ severity }) => severity === 'error')
  const warnings = fresh.filter(({ severity }) => severity === 'warning')
  const passed = `    <testcase${attributes({ classname: file, name: 'is valid', file })}/>`
  const tests = Math.max(1, errors.length)
  const counts = { tests, failures: errors.length, errors: 0, skipped: 0, time: 0 }
  const lines = [
    `  <testsuite${attributes({ name: file, ...counts })}>`,
    ...(errors.length > 0 ? errors.map(failedCase) : [passed]),
    ...(warnings.length > 0
      ? [
          `    <system-out>${escaped(warnings.map(warning => inertLine(problemLine(warning))).join('\n'))}</system-out>`,
        ]
      : []),
    '  </testsuite>',
  ]
  return { tests, failures: errors.length, lines }
}

function runSuite({ file, codons }: RunCases): Suite {
  const failures = codons.filter(({ failure }) => failure !== undefined).length
  const skipped = codons.filter(({ isSkipped }) => isSkipped).length
  const time = codons.reduce((sum, { seconds }) => sum + seconds, 0)
  const counts = { tests: codons.length, failures, errors: 0, skipped, time: time.toFixed(3) }
  const cases = codons.map(({ codonId, seconds, failure, isSkipped }) => {
    const about = attributes({ classname: file, name: codonId, file, time: seconds.toFixed(3) })
    if (failure !== undefined)
      return `    <testcase${about}><failure${attributes({ type: 'codon', message: failure })}>${escaped(failure)}</failure></testcase>`
    return isSkipped ? `    <testcase${about}><skipped/></testcase>` : `    <testcase${about}/>`
  })
  const name = `${file} run`
  const lines = [`  <testsuite${attributes({ name, ...counts })}>`, ...cases, '  </testsuite>']
  return { tests: codons.length, failures, lines }
}

function failedCase(problem: FoundProblem): string {
  const { file, where, code, message, place } = problem
  const line = place === undefined ? {} : { line: place.line }
  const about = attributes({ classname: file, name: where === '' ? file : where, file, ...line })
  const failure = attributes({ type: code, message })
  return `    <testcase${about}><failure${failure}>${escaped(problemLine(problem))}</failure></testcase>`
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        ` ${name}="${escaped(String(value)).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`,
    )
    .join('')
}

/** XML has no way to write a control character; `harmless` spells them out. */
function escaped(text: string): string {
  return (
    harmless(text)
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // Printed in a step of GitHub, a line with `##[` in it would be obeyed.
      .replaceAll('##[', '##&#91;')
  )
}
