import { type ProblemCode, problemCodes } from '@weave/protocol'
import { homepage, ruleAddress, version } from '../../program.ts'
import { inertJson } from './inert-json.ts'
import type { FoundProblem, Verdict } from './verdict.ts'

/** What GitHub takes of one run. */
const mostResults = 5_000

/** The name under which the fingerprint of a problem stands; a baseline is read by it. */
export const fingerprintName = 'weaveProblem/v1'

/** All problems as one SARIF 2.1.0 document, errors first, with the rules that they break. */
export function sarifText(verdicts: readonly Verdict[]): string {
  const all = verdicts.flatMap(({ problems }) => problems)
  const errors = all.filter(({ severity }) => severity === 'error')
  const problems = [...errors, ...all.filter(({ severity }) => severity === 'warning')]
  const told = problems.slice(0, mostResults)
  const codes = [...new Set(told.map(({ code }) => code))].sort()
  const document = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'weave',
            semanticVersion: version,
            informationUri: homepage,
            rules: codes.map(ruleOf),
          },
        },
        invocations: [{ executionSuccessful: true, ...leftOut(problems.length - told.length) }],
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { SRCROOT: { description: { text: 'The root of the repository.' } } },
        results: told.map(problem => resultOf(problem, codes.indexOf(problem.code))),
      },
    ],
  }
  return inertJson(document)
}

function ruleOf(code: ProblemCode) {
  return {
    id: code,
    shortDescription: { text: problemCodes[code] },
    helpUri: ruleAddress(code),
    help: { text: `${problemCodes[code]} More: ${ruleAddress(code)}` },
  }
}

function leftOut(count: number) {
  if (count === 0) return {}
  const text = `${count} more problems are left out: a run may hold ${mostResults}.`
  return { toolExecutionNotifications: [{ level: 'warning', message: { text } }] }
}

function resultOf(problem: FoundProblem, ruleIndex: number) {
  const { code, severity, where, message, file, place, end, fixes = [], isKnown } = problem
  const region = place && regionOf(place, end)
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: where === '' ? message : `${where}: ${message}` },
    locations: [
      {
        physicalLocation: { artifactLocation: artifact(file), ...(region && { region }) },
        ...(where !== '' && { logicalLocations: [{ fullyQualifiedName: where }] }),
      },
    ],
    partialFingerprints: { [fingerprintName]: problem.fingerprint },
    ...(isKnown !== undefined && { baselineState: isKnown ? 'unchanged' : 'new' }),
    ...(fixes.length > 0 && { fixes: fixes.map(fixOf) }),
  }
}

type Place = NonNullable<FoundProblem['place']>
type Fix = NonNullable<FoundProblem['fixes']>[number]

function regionOf(start: Place, end: Place | undefined) {
  return {
    startLine: start.line,
    startColumn: start.column,
    ...(end && { endLine: end.line, endColumn: end.column }),
  }
}

/** A file of the repository by its path in it, another by its whole address. */
function artifact(file: string) {
  // Half a pair of surrogates, which a name may have, cannot be encoded.
  const whole = Buffer.from(file).toString()
  const uri = whole.split('/').map(encodeURIComponent).join('/')
  return file.startsWith('/') ? { uri: `file://${uri}` } : { uri, uriBaseId: 'SRCROOT' }
}

function fixOf({ title, edits }: Fix) {
  const files = [...new Set(edits.map(({ start }) => start.file))]
  return {
    description: { text: title },
    artifactChanges: files.map(file => ({
      artifactLocation: artifact(file),
      replacements: edits
        .filter(({ start }) => start.file === file)
        .map(({ start, end, text }) => ({ deletedRegion: regionOf(start, end), insertedContent: { text } })),
    })),
  }
}
