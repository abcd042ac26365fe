import { harmless } from 'weave-client'

/** Rows of words as lines with aligned columns. Counts characters, which is enough for what we print. */
export function columns(given: readonly (readonly string[])[], indent = '  '): readonly string[] {
  const rows = given.map(row => row.map(onOneLine))
  const widths = rows.reduce<readonly number[]>(
    (known, row) =>
      Array.from({ length: Math.max(known.length, row.length) }, (_, at) =>
        Math.max(known[at] ?? 0, row[at]?.length ?? 0),
      ),
    [],
  )
  return rows.map(row =>
    `${indent}${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd(),
  )
}

/** As it will be printed, because its length counts. A name with a line break must not look like a row of its own. */
function onOneLine(cell: string): string {
  return harmless(cell).replace(/\s/g, ' ')
}
