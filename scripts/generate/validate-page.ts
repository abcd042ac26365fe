import { readFileSync } from 'node:fs'
import { problemCodes } from '../../packages/protocol/src/problem-codes.ts'
import { code } from './field-table.ts'
import type { Generated } from './generated.ts'

const path = 'docs/validate.md'

/** `docs/validate.md` with the table of the codes of problems; the words around it are written by hand. */
export const validatePage: Generated = {
  path,
  content() {
    const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
    return text.replace(
      /(<!-- generated: codes -->\n).*?(<!-- end -->)/s,
      (_whole, begin: string, end: string) => `${begin}\n${codes()}\n\n${end}`,
    )
  },
}

/** One row for each code, with an anchor that SARIF and editors lead to: `hank-unknown-field`. */
function codes(): string {
  const rows = Object.entries(problemCodes).map(
    ([name, summary]) => `| <a id="${name.replace('/', '-')}"></a>${code(name)} | ${summary} |`,
  )
  return ['| code | what is wrong |', '|---|---|', ...rows].join('\n')
}
