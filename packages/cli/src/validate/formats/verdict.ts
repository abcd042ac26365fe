import { createHash } from 'node:crypto'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { ProblemCode } from '@weave/protocol'
import type { Prepared, Problem } from '@weave/runtime'
import { budgetLines, structure, structureLines } from '../sections.ts'
import { withPlaces } from '../with-places.ts'

/** What was found out about one hank, as all formats take it. Files are named from the root of the repository, with `/`. */
export interface Verdict {
  /** The hank file. */
  readonly file: string
  readonly title: string
  readonly ok: boolean
  readonly counts: { readonly codons: number; readonly loops: number }
  /** Errors first. */
  readonly problems: readonly FoundProblem[]
  /** What would run, and what it may cost at most; empty when there is no plan. */
  readonly plan: readonly string[]
}

export interface FoundProblem extends Problem<ProblemCode> {
  /** Where it is, or the hank file itself when it has no place. */
  readonly file: string
  /** The same for the same problem, wherever its lines have moved to. */
  readonly fingerprint: string
  /** A baseline has it already. */
  readonly isKnown?: boolean
}

export interface Surroundings {
  readonly workingDirectory: string
  /** What paths are told from. */
  readonly root: string
}

/** `named`: the hank as it stands on the command line. */
export function verdictOf(prepared: Prepared, named: string, at: Surroundings): Verdict {
  const { loaded, ok, plan } = prepared
  const name = fileNamer(at)
  const file = name(loaded.source?.path ?? prepared.problems[0]?.place?.file ?? named)
  const { meta } = loaded.hank ?? {}
  return {
    file,
    title: meta ? `${meta.name} ${meta.version}` : file,
    ok,
    counts: loaded.counts,
    problems: bySeverity(prepared.problems.map(problem => found(problem, file, { ...at, name }))),
    plan: plan ? [...structureLines(structure(plan, loaded.prompts)), '', ...budgetLines(plan)] : [],
  }
}

type Namer = (path: string) => string

/** Paths from the root; one outside of it stays absolute. */
function fileNamer({ workingDirectory, root }: Surroundings): Namer {
  return path => {
    const absolute = resolve(workingDirectory, path)
    const inside = relative(root, absolute)
    const isOutside = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
    return (isOutside ? absolute : inside).split(sep).join('/')
  }
}

function found(
  problem: Problem<ProblemCode>,
  hank: string,
  { name, root }: Surroundings & { readonly name: Namer },
): FoundProblem {
  const file = problem.place ? name(problem.place.file) : hank
  const renamed = withPlaces(problem, place => ({ ...place, file: name(place.file) }))
  return { ...renamed, file, fingerprint: fingerprintOf(problem, file, root) }
}

/**
 * Without the line: what stands above a problem changes more often than the problem. And without the place of the checkout,
 * which some messages name: it is another one on every machine.
 */
function fingerprintOf({ code, where, message }: Problem, file: string, root: string): string {
  const words = message.replaceAll(root, '')
  return createHash('sha256').update([code, file, where, words].join('\0')).digest('hex')
}

function bySeverity(problems: readonly FoundProblem[]): readonly FoundProblem[] {
  const isError = ({ severity }: FoundProblem) => severity === 'error'
  return [...problems.filter(isError), ...problems.filter(problem => !isError(problem))]
}

/** `file:3:7: hank[0]: message`, on one line. */
export function problemLine({ file, place, where, message }: FoundProblem): string {
  const at = place ? `:${place.line}:${place.column}` : ''
  return `${file}${at}: ${where === '' ? '' : `${where}: `}${message}`.replace(/\s*[\r\n]+\s*/g, ' ')
}
