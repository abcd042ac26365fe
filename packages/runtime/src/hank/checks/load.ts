import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ProblemCode } from '@weave/protocol'
import type { Overlay } from '../../files/index.ts'
import { hasErrors, type Problem, shapeFits, sortProblems } from '../../kit/index.ts'
import { codonsOf, commandsOf, loopsOf } from '../codons.ts'
import { cured, missingField } from '../cures.ts'
import hankShape from '../hank-shape.json' with { type: 'json' }
import { checkNamedFiles } from '../named-files.ts'
import { firstOf, withPlaces } from '../places.ts'
import type { PromptFacts } from '../prompt-content.ts'
import { type HankSource, mostKeys, readHank } from '../read.ts'
import { spellReference } from '../references.ts'
import type { Codon, HankFile } from '../schema.ts'
import type { AttachedSentinel, CheckedAttachments } from '../sentinel-attachments.ts'
import type { NamingSource } from '../unknown-fields.ts'
import { type Check, type CheckContext, type CurableProblem, problemsOf, type Report } from './check.ts'
import { rules } from './rules.ts'

/** What a load looks at besides the file. */
export interface LoadContext extends Omit<CheckContext, 'hankDir'> {
  /** Where a relative path starts, and where `hank.json` is looked for when none is given. */
  readonly workingDirectory: string
  /** Texts that an editor has not saved; they count instead of what is on the disk. */
  readonly overlay?: Overlay | undefined
}

export interface LoadedHank {
  /** As it is written, without defaults; only when nothing is wrong with it. */
  readonly hank?: HankFile
  /** Everything that was found, in the order of the text; each has a place in some file. */
  readonly problems: readonly Problem<ProblemCode>[]
  /** The file, as soon as it is JSON. */
  readonly source?: HankSource
  readonly counts: { readonly codons: number; readonly loops: number }
  /** The observers of all codons, in the order of the file; complete when there is a hank. */
  readonly sentinels: readonly AttachedSentinel[]
  /** The prompt files, by their path relative to the hank directory; complete when there is a hank. */
  readonly prompts: ReadonlyMap<string, PromptFacts>
  /** For a file that is not JSON: the line at fault with a caret under the place. */
  readonly excerpt?: string | undefined
}

/**
 * From a path to a hank whose shape, rules and references are good, or to all that is wrong with it. A step runs only
 * when the one before found no error, and tells all it finds. Models, credentials and self-tests come later, elsewhere.
 *
 * Never rejects, whatever is on the disk; writes nothing, starts nothing.
 */
export async function loadHank(
  path: string | undefined,
  context: LoadContext,
  checks: readonly Check[] = rules,
): Promise<LoadedHank> {
  const read = await readHank(path, context)
  if (!read.ok) {
    const { problems, excerpt } = read
    return { ...nothing, problems, excerpt }
  }
  const { source } = read
  const found: Problem<ProblemCode>[] = []
  const add = (problems: readonly CurableProblem[]) => {
    for (const { cure, ...problem } of withPlaces(problems, source))
      found.push(cured(problem, cure ?? missingField(problem, source.value), source.value))
    return hasErrors(problems)
  }
  const done = (more: Partial<LoadedHank> = {}): LoadedHank => ({
    ...nothing,
    source,
    ...more,
    problems: sortProblems(found),
  })

  add(firstOf(source.warnings))
  const { hank, problems } = await checkShape({ ...source, isThere: path => isThere(path, source) })
  const ruleContext: CheckContext = { ...context, hankDir: source.directory }
  if (add(problems) || !hank || add(problemsOf([checkLimits], hank, ruleContext))) return done()
  const counts = { codons: codonsOf(hank).length, loops: loopsOf(hank).length }

  if (add(problemsOf(checks, hank, ruleContext))) return done({ counts })

  const { prompts, problems: ofFiles } = await checkNamedFiles(hank, source)
  const { sentinels, problems: ofSentinels } = await readAttachments(hank, source)
  if (add([...ofFiles, ...ofSentinels])) return done({ counts })
  return done({ counts, hank, prompts, sentinels })
}

/** Most hanks have no sentinel, and what knows how to read one is large. */
async function readAttachments(hank: HankFile, source: HankSource): Promise<CheckedAttachments> {
  if (!codonsOf(hank).some(({ codon }) => (codon.sentinels ?? []).length > 0)) return noAttachments
  const { checkAttachments } = await import('../sentinel-attachments.ts')
  return checkAttachments(hank, source)
}

const noAttachments: CheckedAttachments = { problems: [], sentinels: [] }

const nothing: Pick<LoadedHank, 'counts' | 'sentinels' | 'prompts'> = {
  counts: { codons: 0, loops: 0 },
  sentinels: [],
  prompts: new Map(),
}

const fits = shapeFits(hankShape, { maxKeys: mostKeys })

/**
 * Whether the file has the shape of a hank. The hank is what was written, without defaults: rules and warnings ask whether
 * a field is there.
 *
 * The schema, in `schema.ts`, takes longer to set up than all the rest of a load. So a good file is recognised by the
 * shape that `npm run generate` derives from that schema, and only a file that does not fit loads the schema itself.
 */
export async function checkShape(
  source: NamingSource,
): Promise<{ readonly hank?: HankFile; readonly problems: readonly Problem<ProblemCode>[] }> {
  const hank = source.value as HankFile
  if (fits(source.value)) return { hank, problems: [] }
  const { shapeFaults } = await import('../shape-faults.ts')
  const problems = shapeFaults(source)
  return hasErrors(problems) ? { problems } : { hank, problems }
}

function isThere(path: string, { directory, overlay }: HankSource): boolean {
  const spelled = spellReference(directory, { path, label: '' })
  if (!spelled.ok) return false
  const absolute = join(directory, spelled.relative)
  return overlay?.(absolute) !== undefined || existsSync(absolute)
}

const mostFiles = 20_000
/** The longest argument of a program on Linux; the shell gets the command as one argument. */
const longestCommand = 131_071

/** Sizes that no honest hank has, refused before rules and references spend time on them. */
function checkLimits(hank: HankFile, { error }: Report): void {
  const files = new Set([hank.globalSystemPromptFile ?? []].flat())
  for (const placed of codonsOf(hank)) {
    for (const path of filesOf(placed.codon)) files.add(path)
    for (const { run, where } of commandsOf(placed)) {
      if (Buffer.byteLength(run) <= longestCommand) continue
      const about = { where: `${where}.command.run`, label: placed.label }
      error(
        'command/length',
        about,
        `the command is longer than ${longestCommand} bytes, which no system runs`,
      )
    }
  }
  if (files.size > mostFiles)
    error('hank/size', 'hank', `the hank names more than ${mostFiles} different files`)
}

function filesOf({ promptFile, appendSystemPromptFile, rigSetup, sentinels }: Codon): readonly string[] {
  return [
    ...[promptFile ?? []].flat(),
    ...[appendSystemPromptFile ?? []].flat(),
    ...(rigSetup ?? []).flatMap(operation => (operation.type === 'copy' ? [operation.copy.from] : [])),
    ...(sentinels ?? []).flatMap(({ sentinelConfig }) =>
      typeof sentinelConfig === 'string' ? [sentinelConfig] : [],
    ),
  ]
}
