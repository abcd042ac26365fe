import { hasErrors, type Problem, sortProblems } from '../kit/index.ts'
import type { Check, CheckContext } from './check.ts'
import { rules } from './checks/rules.ts'
import { codonsOf, loopsOf } from './codons.ts'
import { checkLimits } from './limits.ts'
import { checkNamedFiles } from './named-files.ts'
import { checkPatterns } from './patterns.ts'
import { firstOf, withPlaces } from './places.ts'
import type { PromptFacts } from './prompt-content.ts'
import { type HankSource, readHank } from './read.ts'
import type { HankFile } from './schema.ts'
import type { AttachedSentinel, CheckedAttachments } from './sentinel-attachments.ts'
import { checkOutputPaths } from './sentinel-paths.ts'
import { checkShape } from './shape.ts'

/** What a load looks at besides the file. */
export interface LoadContext extends Omit<CheckContext, 'hankDir'> {
  /** Where a relative path starts, and where `hank.json` is looked for when none is given. */
  readonly workingDirectory: string
}

export interface LoadedHank {
  /** As it is written, without defaults; only when nothing is wrong with it. */
  readonly hank?: HankFile
  /** Everything that was found, in the order of the text; each has a place in some file. */
  readonly problems: readonly Problem[]
  /** The file, as soon as it is JSON. */
  readonly source?: HankSource
  readonly counts: { readonly codons: number; readonly loops: number }
  /** The observers of all codons, in the order of the file; complete when there is a hank. */
  readonly sentinels: readonly AttachedSentinel[]
  /** The prompt files, by their path relative to the hank directory; complete when there is a hank. */
  readonly prompts: ReadonlyMap<string, PromptFacts>
  /** For a file that is not JSON: the line at fault with a caret under the place. */
  readonly excerpt?: string
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
  checks: readonly Check[] = [...rules, checkPatterns, checkOutputPaths],
): Promise<LoadedHank> {
  const read = await readHank(path, context.workingDirectory)
  if (!read.ok) {
    return {
      ...nothing,
      problems: read.problems,
      ...(read.excerpt !== undefined && { excerpt: read.excerpt }),
    }
  }
  const { source } = read
  const found: Problem[] = []
  const add = (problems: readonly Problem[]) => {
    for (const problem of withPlaces(problems, source)) found.push(problem)
    return hasErrors(problems)
  }
  const done = (more: Partial<LoadedHank> = {}): LoadedHank => ({
    ...nothing,
    source,
    ...more,
    problems: sortProblems(found),
  })

  add(firstOf(source.warnings))
  const { hank, problems } = await checkShape(source)
  if (add(problems) || !hank || add(checkLimits(hank))) return done()
  const counts = { codons: codonsOf(hank).length, loops: loopsOf(hank).length }

  const ruleContext: CheckContext = { ...context, hankDir: source.directory }
  const broken = await Promise.all(checks.map(async check => check(hank, ruleContext)))
  if (add(broken.flat())) return done({ counts })

  const files = await checkNamedFiles(hank, source.directory)
  const attachments = await lookAtSentinels(hank, source)
  const { prompts } = files
  const { sentinels } = attachments
  if (add([...files.problems, ...attachments.problems])) return done({ counts })
  return done({ counts, hank, prompts, sentinels })
}

/** Most hanks have no sentinel, and what knows how to read one is large. */
async function lookAtSentinels(hank: HankFile, source: HankSource): Promise<CheckedAttachments> {
  if (!codonsOf(hank).some(({ codon }) => (codon.sentinels ?? []).length > 0)) return noAttachments
  const { checkAttachments } = await import('./sentinel-attachments.ts')
  return checkAttachments(hank, source)
}

const noAttachments: CheckedAttachments = { problems: [], sentinels: [] }

const nothing: Pick<LoadedHank, 'counts' | 'sentinels' | 'prompts'> = {
  counts: { codons: 0, loops: 0 },
  sentinels: [],
  prompts: new Map(),
}
