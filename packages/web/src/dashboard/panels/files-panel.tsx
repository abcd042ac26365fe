import type { CheckpointEntry, CheckpointList, VersionDiff } from 'weave-client'
import { executionAddress } from '../addresses.ts'
import { useAnswer } from '../answers.ts'
import type { Execution } from '../execution.ts'
import { grouped } from '../grouped.ts'
import { DiffView } from '../parts/diff-view.tsx'
import { Notice, Pending } from '../parts/small.tsx'
import { place, select } from '../place.ts'
import { preferences } from '../preferences.ts'

type ChangedFile = VersionDiff['files'][number]

/** What changed from one checkpoint to another, file by file. */
export function FilesPanel({ execution }: { readonly execution: Execution }) {
  const { parameters } = place.value
  const { name } = execution
  const list = useAnswer<CheckpointList>(executionAddress(name, 'checkpoints'), execution.revision.value)
  const checkpoints = list.value?.checkpoints ?? []
  const to = checkpoints.find(({ sha }) => sha === parameters['at']) ?? newestChange(checkpoints)
  const from = checkpoints.find(({ sha }) => sha === parameters['from']) ?? before(checkpoints, to)
  const sides = to && from ? { from: from.sha, to: to.sha } : undefined
  const diff = useAnswer<VersionDiff>(sides && executionAddress(name, 'diff', sides))
  const path = parameters['path'] ?? diff.value?.files[0]?.path ?? ''
  const whole = useAnswer<VersionDiff>(
    sides && path !== '' ? executionAddress(name, 'diff', { ...sides, path }) : undefined,
  )
  if (!list.value) return <Pending read={list} what="checkpoints" />
  if (checkpoints.length === 0 || !to || !from) return <Notice>There are no checkpoints yet.</Notice>
  const file =
    whole.value?.files.find(each => each.path === path) ?? diff.value?.files.find(each => each.path === path)
  return (
    <section class="panel files" aria-label="Files">
      <div class="panel-bar">
        <Choice label="From" chosen={from} checkpoints={checkpoints} parameter="from" />
        <Choice label="to" chosen={to} checkpoints={checkpoints} parameter="at" />
        <label class="option">
          <input
            type="checkbox"
            checked={preferences.diff.value === 'split'}
            onChange={event => {
              preferences.diff.value = event.currentTarget.checked ? 'split' : 'unified'
            }}
          />
          Side by side
        </label>
      </div>
      <div class="files-body">
        <FileList diff={diff.value} problem={diff.problem} chosen={path} />
        <div class="file-view">
          {file && <FileHead file={file} at={to.sha} name={name} />}
          {whole.value?.patch && !file?.isBinary && (
            <DiffView patch={whole.value.patch.text} isCut={whole.value.patch.isCut} />
          )}
          {file?.isBinary && <BinaryFacts file={file} />}
        </div>
      </div>
    </section>
  )
}

/** The newest one that changed something; people look for that first. */
function newestChange(checkpoints: readonly CheckpointEntry[]): CheckpointEntry | undefined {
  const counting = checkpoints.filter(({ isUndone }) => !isUndone)
  return counting.findLast(({ files = 0 }) => files > 0) ?? counting.at(-1)
}

function before(
  checkpoints: readonly CheckpointEntry[],
  to: CheckpointEntry | undefined,
): CheckpointEntry | undefined {
  const counting = checkpoints.filter(each => !each.isUndone || each === to)
  const at = to ? counting.indexOf(to) : -1
  return counting[Math.max(0, at - 1)]
}

interface ChoiceProps {
  readonly label: string
  readonly chosen: CheckpointEntry
  readonly checkpoints: readonly CheckpointEntry[]
  readonly parameter: 'from' | 'at'
}

function Choice({ label, chosen, checkpoints, parameter }: ChoiceProps) {
  return (
    <label class="choice">
      {label}
      <select
        value={chosen.sha}
        onChange={event => select({ [parameter]: event.currentTarget.value, path: undefined })}
      >
        {checkpoints.map(each => (
          <option key={`${each.sha} ${each.type} ${each.codonId}`} value={each.sha}>
            {checkpointName(each)}
          </option>
        ))}
      </select>
    </label>
  )
}

export function checkpointName({ codonId, type, sha, isUndone }: CheckpointEntry): string {
  const what = codonId === '' ? 'the beginning' : `${codonId} ${type}`
  return `${what} (${sha.slice(0, 8)})${isUndone ? ', undone' : ''}`
}

interface FileListProps {
  readonly diff: VersionDiff | undefined
  readonly problem: string | undefined
  readonly chosen: string
}

const letters = { added: 'A', deleted: 'D', modified: 'M', 'type-changed': 'T', 'mode-changed': 'T' } as const

function FileList({ diff, problem, chosen }: FileListProps) {
  if (!diff) return <Pending read={{ problem }} what="what changed" />
  return (
    <nav class="file-list" aria-label="Changed files">
      {diff.files.length === 0 && <Notice>No file is different.</Notice>}
      <ul>
        {diff.files.map(file => (
          <li key={file.path}>
            <button
              type="button"
              class="file-entry"
              aria-current={file.path === chosen ? 'true' : undefined}
              onClick={() => select({ path: file.path })}
            >
              <abbr data-status={file.status} title={file.status}>
                {letters[file.status]}
              </abbr>
              <span class="path">{file.path}</span>
              <span class="lines">{linesText(file)}</span>
            </button>
          </li>
        ))}
      </ul>
      {diff.filesLeftOut > 0 && <Notice>{grouped(diff.filesLeftOut)} more are different.</Notice>}
    </nav>
  )
}

function linesText({ additions, deletions, isBinary }: ChangedFile): string {
  if (isBinary) return 'binary'
  return additions === undefined ? '' : `+${additions} −${deletions ?? 0}`
}

function FileHead({ file }: { readonly file: ChangedFile; readonly at: string; readonly name: string }) {
  return (
    <div class="file-head">
      <h3>{file.path}</h3>
      <span class="quiet">
        {file.status} {linesText(file)}
      </span>
    </div>
  )
}

function BinaryFacts({ file }: { readonly file: ChangedFile }) {
  const side = (of: ChangedFile['before']): string =>
    of ? `${of.size === undefined ? '?' : grouped(of.size)} bytes, ${of.oid.slice(0, 12)}` : 'none'
  return (
    <dl class="facts">
      <dt>Before</dt>
      <dd>{side(file.before)}</dd>
      <dt>After</dt>
      <dd>{side(file.after)}</dd>
    </dl>
  )
}
