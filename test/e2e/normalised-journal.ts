import { type HankFolder, jsonLines } from '../support/hank-folder.ts'

interface Told {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface NormalisedJournal {
  /** Everything but files, in order. */
  readonly events: readonly string[]
  /** What became of files; the watch tells it when it sees it, which is chance. */
  readonly files: readonly string[]
}

const chance: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/\b(?:evt|run|srv|rig)_[0-9a-z]{20,}/g, '<id>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<session>'],
  [/\b[0-9a-f]{40}\b/g, '<checkpoint>'],
  [/"(\w*(?:[dD]uration|[sS]econds|Ms|[mM]time|totalTime)\w*)":[\d.]+/g, '"$1":0'],
]

/** What happened in an execution, without what is different in every run: times, ids, places. */
export function normalisedJournal(at: HankFolder): NormalisedJournal {
  const execution = at.execution()
  const { status, stdout, stderr } = at.weave('journal', execution, '--json')
  if (status !== 0) throw new Error(stderr)
  const texts = jsonLines<Told>(stdout).map(({ type, data }) => ({
    type,
    text: plain({ type, data }, execution),
  }))
  const isOfFiles = ({ type }: { readonly type: string }): boolean => /^file(?:tree)?\./.test(type)
  return {
    events: texts.filter(each => !isOfFiles(each)).map(({ text }) => text),
    files: [...new Set(texts.filter(({ type }) => type === 'file.updated').map(({ text }) => text))].sort(),
  }
}

function plain(event: Told, execution: string): string {
  const text = JSON.stringify(event).replaceAll(execution, '<execution>')
  return chance.reduce((left, [pattern, kept]) => left.replace(pattern, kept), text)
}
