import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { grouped } from '../grouped.ts'
import { bothZones, momentText } from '../moments.ts'

/** Small things that every panel uses. */

export function Moment({
  at,
  parts = 'date-time',
}: {
  readonly at: string | number
  readonly parts?: 'time' | 'date-time' | 'fine'
}) {
  return (
    <time dateTime={new Date(at).toISOString()} title={bothZones(at)}>
      {momentText(at, parts)}
    </time>
  )
}

export function CopyButton({
  text,
  label = 'Copy',
  about,
}: {
  readonly text: string
  readonly label?: string
  /** What is copied, where the label alone does not say it. */
  readonly about?: string
}) {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <button
      type="button"
      class="small-button"
      title={about}
      aria-label={about === undefined ? undefined : `${isCopied ? 'Copied' : label}: ${about}`}
      onClick={() => void copy().catch(() => undefined)}
    >
      {isCopied ? 'Copied' : label}
    </button>
  )
}

/** A command for a terminal: what a page does not do by itself. */
export function CommandLine({ command, what }: { readonly command: string; readonly what?: string }) {
  return (
    <div class="command-line">
      {what !== undefined && <span class="quiet">{what}</span>}
      <code>{command}</code>
      <CopyButton text={command} />
    </div>
  )
}

export function Notice({
  kind = 'empty',
  children,
}: {
  readonly kind?: 'empty' | 'problem'
  readonly children: ComponentChildren
}) {
  return (
    <p class="notice" data-kind={kind} role={kind === 'problem' ? 'alert' : undefined}>
      {children}
    </p>
  )
}

/** What stands there until an answer is here. */
export function Pending({
  read,
  what,
}: {
  readonly read: { readonly problem: string | undefined }
  readonly what: string
}) {
  if (read.problem !== undefined) return <Notice kind="problem">{read.problem}</Notice>
  return <Notice>Reading {what} …</Notice>
}

export function counted(count: number, word: string, ending = 's'): string {
  return `${grouped(count)} ${word}${count === 1 ? '' : ending}`
}

/** A word that a shell takes as one. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** What may be wider than its place; it can be scrolled with keys, too. */
export function Scroll({
  label,
  children,
}: {
  readonly label: string
  readonly children: ComponentChildren
}) {
  const holder = useRef<HTMLElement>(null)
  useEffect(() => {
    if (holder.current) holder.current.tabIndex = 0
  }, [])
  return (
    <section class="scroll" ref={holder} aria-label={label}>
      {children}
    </section>
  )
}

/** A column by its name; `number`: its cells stand to the right; `unseen`: only who hears the page needs the name. */
export type Column = string | { readonly number: string } | { readonly unseen: string }

export function TableHead({ columns }: { readonly columns: readonly Column[] }) {
  return (
    <thead>
      <tr>{columns.map(heading)}</tr>
    </thead>
  )
}

function heading(column: Column) {
  if (typeof column === 'string')
    return (
      <th key={column} scope="col">
        {column}
      </th>
    )
  if ('number' in column)
    return (
      <th key={column.number} scope="col" class="number">
        {column.number}
      </th>
    )
  return (
    <th key={column.unseen} scope="col">
      <span class="unseen">{column.unseen}</span>
    </th>
  )
}
