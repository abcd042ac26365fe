import type { Codon, CodonBudget, HankItem, LoadedHank, Loop, SharedBudget } from '@weave/runtime'
import { isLoop } from '@weave/runtime'

/** A line of the structure: `[2.1]`, name and id, model, prompt, budget. */
export interface StructureRow {
  readonly number: string
  readonly depth: number
  readonly title: string
  readonly facts: readonly string[]
}

/** The hank as a tree, in the order in which it runs. `modelOf` gives the model that a codon will really use. */
export function structure(loaded: LoadedHank, modelOf: (codon: Codon) => string): readonly StructureRow[] {
  const codonRow = (codon: Codon, number: string, depth: number): StructureRow => ({
    number,
    depth,
    title: `${codon.name} (${codon.id})`,
    facts: [modelOf(codon), promptWords(codon, loaded), ...budgetWords(codon.budget), ...extras(codon)],
  })
  const itemRows = (item: HankItem, at: number): readonly StructureRow[] => {
    const number = String(at + 1)
    if (!isLoop(item)) return [codonRow(item, number, 0)]
    const inner = item.codons.map((codon, inLoop) => codonRow(codon, `${number}.${inLoop + 1}`, 1))
    return [loopRow(item, number), ...inner]
  }
  return (loaded.hank?.hank ?? []).flatMap(itemRows)
}

export function structureLines(rows: readonly StructureRow[]): readonly string[] {
  const left = rows.map(({ number, depth, title }) => `${'    '.repeat(depth)}[${number}] ${title}`)
  const width = Math.min(48, Math.max(0, ...left.map(text => text.length)))
  return rows.map(({ facts }, at) => `  ${(left[at] ?? '').padEnd(width)}  ${facts.join(' · ')}`)
}

function loopRow(loop: Loop, number: string): StructureRow {
  const { terminateOn } = loop
  const end =
    terminateOn.type === 'iterationLimit' ? `${terminateOn.limit} times` : 'until the context is full'
  return {
    number,
    depth: 0,
    title: `${loop.name} (${loop.id})`,
    facts: [`loop, ${end}`, ...budgetWords(loop.budget)],
  }
}

function promptWords({ promptFile, promptText }: Codon, { prompts }: LoadedHank): string {
  if (promptFile === undefined) return `prompt of ${lines((promptText ?? '').split('\n').length)}`
  const files = typeof promptFile === 'string' ? [promptFile] : promptFile
  const total = files.reduce((sum, file) => sum + (prompts.get(normalised(file))?.lines ?? 0), 0)
  return `prompt of ${lines(total)}${files.length > 1 ? ` in ${files.length} files` : ''}`
}

function budgetWords(budget: CodonBudget | SharedBudget | undefined): readonly string[] {
  if (!budget) return []
  const words = [
    budget.maxDollars === undefined ? [] : [`$${budget.maxDollars}`],
    budget.maxTimeSeconds === undefined ? [] : [`${budget.maxTimeSeconds} s`],
    'maxOutputTokens' in budget && budget.maxOutputTokens !== undefined
      ? [`${budget.maxOutputTokens} output tokens`]
      : [],
    'maxContextTokens' in budget && budget.maxContextTokens !== undefined
      ? [`${budget.maxContextTokens} context tokens`]
      : [],
  ].flat()
  return words.length === 0 ? [] : [`at most ${words.join(', ')}`]
}

function extras(codon: Codon): readonly string[] {
  return [
    codon.continuationMode === 'continue-previous' ? ['continues'] : [],
    (codon.rigSetup?.length ?? 0) > 0 ? [`rig of ${codon.rigSetup?.length}`] : [],
    (codon.sentinels?.length ?? 0) > 0
      ? [`${codon.sentinels?.length} sentinel${codon.sentinels?.length === 1 ? '' : 's'}`]
      : [],
    codon.onFailure === 'retry' ? [`up to ${codon.retryConfig?.maxAttempts ?? 3} attempts`] : [],
    codon.onFailure === 'ignore' ? ['failure ignored'] : [],
    (codon.outputFiles?.length ?? 0) > 0 ? ['outputs'] : [],
  ].flat()
}

function lines(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`
}

/** Prompts are known by their path without `./` and inner `..`. */
function normalised(file: string): string {
  return new URL(file, 'file:///').pathname.slice(1)
}
