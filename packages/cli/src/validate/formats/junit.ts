import { harmless } from 'weave-client'
import { inertLine } from './github.ts'
import { type FoundProblem, problemLine, type Verdict } from './verdict.ts'

/** One suite for each hank: a failed case for each error, one case that passed for a hank without any; warnings as output. */
export function junitText(verdicts: readonly Verdict[]): string {
  const suites = verdicts.map(suiteOf)
  const sum = (key: 'tests' | 'failures') => suites.reduce((total, suite) => total + suite[key], 0)
  const counts = { tests: sum('tests'), failures: sum('failures'), errors: 0 }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'weave validate', ...counts })}>`,
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
