import type { CheckpointEntry, CheckpointList, WayBackPreview } from 'weave-client'
import { executionAddress } from '../addresses.ts'
import { useAnswer } from '../answers.ts'
import type { Execution } from '../execution.ts'
import { askFirst } from '../parts/ask.tsx'
import { PreviewFacts } from '../parts/preview-facts.tsx'
import { CommandLine, Moment, Notice, Pending, shellWord, TableHead } from '../parts/small.tsx'
import { panelRoute, place, select } from '../place.ts'
import { addressOf } from '../routes.ts'
import { checkpointName } from './files-panel.tsx'

/** The versions of the workspace, the newest first; on one of them, what going back there would do. */
export function CheckpointsPanel({ execution }: { readonly execution: Execution }) {
  const chosen = place.value.parameters['sha']
  const list = useAnswer<CheckpointList>(
    executionAddress(execution.name, 'checkpoints'),
    execution.revision.value,
  )
  if (!list.value) return <Pending read={list} what="checkpoints" />
  const rows = list.value.checkpoints.toReversed()
  const selected = rows.find(({ sha }) => sha === chosen)
  return (
    <section class="panel checkpoints" aria-label="Checkpoints" data-selected={selected !== undefined}>
      {rows.length === 0 && <Notice>There are no checkpoints yet.</Notice>}
      <div class="checkpoint-list">
        <table class="rows-table">
          <TableHead columns={['Checkpoint', 'Time', { number: 'Files' }, { unseen: 'What to do' }]} />
          <tbody>
            {rows.map(row => (
              <CheckpointRow
                key={`${row.sha} ${row.type} ${row.codonId} ${row.runId}`}
                row={row}
                name={execution.name}
                isChosen={row === selected}
              />
            ))}
          </tbody>
        </table>
      </div>
      {selected && <Preview key={selected.sha} execution={execution} checkpoint={selected} />}
    </section>
  )
}

function CheckpointRow({
  row,
  name,
  isChosen,
}: {
  readonly row: CheckpointEntry
  readonly name: string
  readonly isChosen: boolean
}) {
  return (
    <tr data-undone={row.isUndone} aria-current={isChosen ? 'true' : undefined}>
      <th scope="row">
        {row.codonId === '' ? 'the beginning' : row.codonId} <span class="badge">{row.type}</span>
        {row.isUndone && <span class="badge">undone</span>}
        <code class="quiet sha">{row.sha.slice(0, 8)}</code>
      </th>
      <td class="quiet">
        <Moment at={row.timestamp} />
      </td>
      <td class="number">
        <a href={addressOf(panelRoute(name, 'files', { at: row.sha }))}>
          {row.files === undefined ? 'files' : row.files}
        </a>
      </td>
      <td>
        <button
          type="button"
          class="small-button"
          aria-pressed={isChosen}
          onClick={() => select({ sha: isChosen ? undefined : row.sha })}
        >
          Preview
        </button>
      </td>
    </tr>
  )
}

function Preview({
  execution,
  checkpoint,
}: {
  readonly execution: Execution
  readonly checkpoint: CheckpointEntry
}) {
  const { sha } = checkpoint
  const address = executionAddress(execution.name, 'preview', { to: sha })
  const read = useAnswer<WayBackPreview>(address, execution.revision.value)
  const preview = read.value
  return (
    <aside class="preview" aria-label="Preview">
      <h2>Back to {checkpointName(checkpoint)}</h2>
      {!preview && <Pending read={read} what="what would change" />}
      {preview && <PreviewFacts preview={preview} />}
      {preview && execution.maySteer.value && (
        <div class="buttons">
          <button
            type="button"
            class="button"
            data-kind="grave"
            onClick={() => goBack(execution, checkpoint, preview)}
          >
            Go back
          </button>
        </div>
      )}
      <h3>In a terminal</h3>
      {!execution.maySteer.value && (
        <CommandLine
          what="Go back"
          command={`weave rollback ${sha.slice(0, 12)} --execution ${shellWord(execution.name)}`}
        />
      )}
      <CommandLine
        what="Fork here"
        command={`weave fork ${shellWord(execution.name)} --at ${sha.slice(0, 12)}`}
      />
      <CommandLine
        what="Compare with the end"
        command={`weave compare ${shellWord(`${execution.name}@${sha.slice(0, 12)}`)} ${shellWord(execution.name)}`}
      />
      <CommandLine
        what="Bisect from here"
        command={`weave bisect ${shellWord(execution.name)} --good ${sha.slice(0, 12)} -- npm test`}
      />
    </aside>
  )
}

function goBack(execution: Execution, checkpoint: CheckpointEntry, preview: WayBackPreview): void {
  const running = execution.atWork.value?.codonId
  askFirst({
    title: `Go back to ${checkpointName(checkpoint)}?`,
    yes: 'Go back',
    isGrave: true,
    body: <PreviewFacts preview={preview} />,
    option: { label: 'Go on with the next codon afterwards' },
    ...(running === undefined ? {} : { typed: running }),
    act: ({ option }) =>
      execution.send('rollback.toCheckpoint', { checkpointSha: checkpoint.sha, autoRestart: option }),
  })
}
