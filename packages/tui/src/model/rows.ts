import type { Line } from '../terminal/line.ts'

/** One line of a panel and the thing that it belongs to. */
export interface Row {
  /** Of the thing: an entry, a file, a codon. Several rows may belong to one. */
  readonly key: string
  /** Which row of that thing, from 0. */
  readonly part: number
  readonly line: Line
}

/** The content of a panel. Rows are made when they are asked for, so that a long panel costs what is seen of it. */
export interface Rows {
  readonly length: number
  readonly at: (index: number) => Row | undefined
  /** The first row of a thing, or -1. */
  readonly indexOf: (key: string) => number
}

/** Rows that exist already: for panels that are short. */
export function rowsOf(rows: readonly Row[]): Rows {
  return {
    length: rows.length,
    at: index => rows[index],
    indexOf: key => rows.findIndex(row => row.key === key),
  }
}

/** Lines that belong to nothing. */
export function plainRows(lines: readonly Line[]): Rows {
  return rowsOf(lines.map((line, index) => ({ key: `line ${index}`, part: 0, line })))
}
