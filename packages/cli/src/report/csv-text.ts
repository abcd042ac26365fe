import { harmless } from 'weave-client'

/** Rows as a table for spreadsheets (RFC 4180), without a line end at the end. What is not known is empty. */
export function csvText(rows: readonly (readonly (string | number | undefined)[])[]): string {
  return rows.map(row => row.map(cell).join(',')).join('\r\n')
}

/** A spreadsheet takes text that begins with one of these for a formula; an id of a downloaded hank must not be one. */
const formula = /^[=+\-@\t\r]/

function cell(value: string | number | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = harmless(formula.test(value) ? `'${value}` : value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
