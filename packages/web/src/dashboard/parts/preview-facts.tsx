import { dollarsText, type WayBackPreview } from 'weave-client'
import { executionAddress } from '../addresses.ts'
import { useAnswer } from '../answers.ts'
import { counted, Notice, Pending } from './small.tsx'

/** What going back to a checkpoint does, read when it is shown. */
export function PreviewOf({ name, to }: { readonly name: string; readonly to: string }) {
  const read = useAnswer<WayBackPreview>(executionAddress(name, 'preview', { to }))
  if (!read.value) return <Pending read={read} what="what would change" />
  return <PreviewFacts preview={read.value} />
}

export function PreviewFacts({ preview }: { readonly preview: WayBackPreview }) {
  const { create, change, delete: gone, leftOut, undone, next, staysSpent } = preview
  return (
    <div>
      <p class="quiet">
        {preview.by === 'trees'
          ? 'The newest checkpoint against this one.'
          : 'The files as they are now against this one.'}
      </p>
      <PathList title="Created" paths={create} />
      <PathList title="Changed" paths={change} />
      <PathList title="Deleted" paths={gone} />
      {create.length + change.length + gone.length === 0 && <Notice>No file would change.</Notice>}
      {leftOut > 0 && <Notice>{counted(leftOut, 'more path')}.</Notice>}
      <dl class="facts">
        <dt>To be done again</dt>
        <dd>{undone.length === 0 ? 'nothing' : undone.join(', ')}</dd>
        <dt>Then comes</dt>
        <dd>
          {next === undefined ? 'nothing' : `${next.codonId}${next.withoutRig ? ', without its rig' : ''}`}
        </dd>
        <dt>Stays spent</dt>
        <dd>{dollarsText(staysSpent)}</dd>
      </dl>
    </div>
  )
}

function PathList({ title, paths }: { readonly title: string; readonly paths: readonly string[] }) {
  if (paths.length === 0) return null
  return (
    <details open={paths.length <= 12}>
      <summary>
        {title} <span class="quiet">{paths.length}</span>
      </summary>
      <ul class="paths">
        {paths.slice(0, 200).map(path => (
          <li key={path}>{path}</li>
        ))}
      </ul>
    </details>
  )
}
