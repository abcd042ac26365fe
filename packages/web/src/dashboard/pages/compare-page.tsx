import { useState } from 'preact/hooks'
import { type ComparedExecutions, dollarsText, durationText, tokensText } from 'weave-client'
import { useAnswer } from '../answers.ts'
import { grouped } from '../grouped.ts'
import { Notice, Pending, Scroll, TableHead } from '../parts/small.tsx'
import { panelRoute, place } from '../place.ts'
import { addressOf } from '../routes.ts'

type Side = 'left' | 'right'
type Facts = NonNullable<ComparedExecutions['codons'][number]['left']>

/** Two executions held against each other; only what is different, unless all is wanted. */
export function ComparePage() {
  const { a = '', b = '' } = place.value.parameters
  const [all, setAll] = useState(false)
  const address = `/api/compare?${new URLSearchParams({ a, b }).toString()}`
  const read = useAnswer<ComparedExecutions>(a === '' || b === '' ? undefined : address)
  const compared = read.value
  return (
    <main class="page compare" id="main">
      <h1>Compare</h1>
      {!compared && <Pending read={read} what="both" />}
      {compared && (
        <>
          <Sides compared={compared} all={all} />
          <label class="option">
            <input type="checkbox" checked={all} onChange={event => setAll(event.currentTarget.checked)} />
            Also what is the same
          </label>
          {compared.same && <Notice>They are the same, but for times.</Notice>}
          <Codons compared={compared} all={all} />
          <Files compared={compared} />
          <Conversation compared={compared} all={all} />
        </>
      )}
    </main>
  )
}

function Sides({ compared, all }: { readonly compared: ComparedExecutions; readonly all: boolean }) {
  const { sides, totals, head, relation } = compared
  const total = (name: string, text: (side: Side) => string) => ({
    what: name,
    left: text('left'),
    right: text('right'),
    same: text('left') === text('right'),
  })
  const rows = [
    ...head,
    total('cost', side => dollarsText(totals[side].cost)),
    total('active time', side => durationText(totals[side].activeMs)),
    total('waiting', side => durationText(totals[side].waitingMs + totals[side].parkedMs)),
    total('tokens out', side => tokensText(totals[side].tokens.outputTokens)),
    total('events', side => grouped(totals[side].events)),
  ].filter(({ same }) => all || !same)
  return (
    <Scroll label="Both executions">
      <table class="rows-table sides">
        <thead>
          <tr>
            <td class="quiet">{relation === 'none' ? '' : relation}</td>
            {(['left', 'right'] as const).map((side, at) => (
              <th key={side} scope="col">
                <span class="badge">{at === 0 ? 'a' : 'b'}</span>{' '}
                <a href={addressOf(panelRoute(sides[side].name, 'stream'))}>{sides[side].name}</a>
                {sides[side].at !== undefined && <code class="quiet"> @{sides[side].at}</code>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={row.what} data-same={row.same}>
              <th scope="row">{row.what}</th>
              <td>{row.left}</td>
              <td>{row.right}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

const codonHeads = ['Status', 'Tries', 'Model', 'Time', 'Cost', 'Out', 'Tools', 'Errors', 'Files'] as const

function Codons({ compared, all }: { readonly compared: ComparedExecutions; readonly all: boolean }) {
  const rows = compared.codons.filter(({ same }) => all || !same)
  return (
    <section aria-label="Codons">
      <h2>Codons</h2>
      {rows.length === 0 && <Notice>All {compared.codons.length} are the same.</Notice>}
      {rows.length > 0 && (
        <Scroll label="Codons, side by side">
          <table class="rows-table">
            <TableHead columns={['Codon', { unseen: 'Side' }, ...codonHeads]} />
            <tbody>
              {rows.flatMap(({ codonId, left, right }) => [
                <tr key={`${codonId} a`}>
                  <th scope="row" rowSpan={2}>
                    {codonId}
                  </th>
                  <td>
                    <span class="badge">a</span>
                  </td>
                  <Cells own={left} other={right} />
                </tr>,
                <tr key={`${codonId} b`} class="second-of-two">
                  <td>
                    <span class="badge">b</span>
                  </td>
                  <Cells own={right} other={left} />
                </tr>,
              ])}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  )
}

function Cells({ own, other }: { readonly own: Facts | undefined; readonly other: Facts | undefined }) {
  if (!own) return <td colSpan={codonHeads.length}>not there</td>
  const others = other ? cellsOf(other) : []
  return (
    <>
      {cellsOf(own).map((text, at) => (
        <td key={codonHeads[at]} data-other={other !== undefined && others[at] !== text}>
          {text}
        </td>
      ))}
    </>
  )
}

function cellsOf(facts: Facts): readonly string[] {
  const { status, attempts, model, durationMs, cost, tokens, toolCalls, toolErrors, files } = facts
  return [
    status,
    String(attempts),
    model,
    durationText(durationMs),
    dollarsText(cost),
    tokensText(tokens.outputTokens),
    String(toolCalls),
    String(toolErrors),
    files === undefined ? '?' : String(files),
  ]
}

function Files({ compared: { files } }: { readonly compared: ComparedExecutions }) {
  return (
    <section aria-label="Files">
      <h2>Files</h2>
      {(!files || files.files.length === 0) && (
        <Notice>{files ? 'No file is different.' : 'The files could not be compared.'}</Notice>
      )}
      <ul class="plain-list">
        {files?.files.map(file => (
          <li key={file.path}>
            <span class="path">{file.path}</span>
            <span class="quiet">
              {file.status} {file.additions === undefined ? '' : `+${file.additions} −${file.deletions ?? 0}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Conversation({ compared, all }: { readonly compared: ComparedExecutions; readonly all: boolean }) {
  const rows = compared.conversation.filter(({ first }) => all || first !== undefined)
  return (
    <section aria-label="Conversation">
      <h2>Conversation</h2>
      {rows.length === 0 && <Notice>The same.</Notice>}
      {rows.map(({ codonId, same, onlyLeft, onlyRight, first }) => (
        <details key={codonId} open={first !== undefined}>
          <summary>
            <b>{codonId}</b>{' '}
            <span class="quiet">
              {same} steps the same, {onlyLeft} only in a, {onlyRight} only in b
              {first ? `; first difference at step ${first.at + 1}` : ''}
            </span>
          </summary>
          {first && (
            <div class="two-talks">
              {(['left', 'right'] as const).map(side => (
                <ol key={side}>
                  {first[side].map((step, at) => (
                    <li key={at} data-kind={step.kind} data-other={at >= first.at - first.from}>
                      <span class="quiet">{step.kind}</span>
                      <pre>{step.text}</pre>
                    </li>
                  ))}
                </ol>
              ))}
            </div>
          )}
        </details>
      ))}
    </section>
  )
}
