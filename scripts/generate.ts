import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { acpPage } from './generate/acp-page.ts'
import { agentsPage } from './generate/agents-page.ts'
import type { Generated } from './generate/generated.ts'
import { manPage } from './generate/man-page.ts'
import { proofPage } from './generate/proof-page.ts'
import { protocolPage } from './generate/protocol.ts'
import { quickShapes } from './generate/quick-shapes.ts'
import { commandPage } from './generate/reference-command.ts'
import { filePages } from './generate/reference-files.ts'
import { settingsPage } from './generate/reference-settings.ts'
import { schemas } from './generate/schemas.ts'
import { soakPlots } from './generate/soak-plot.ts'
import { validatePage } from './generate/validate-page.ts'

/** Writes the generated files, or with `--check` says which of them are not what the source would give now. */
const generators: readonly Generated[] = [
  proofPage,
  ...soakPlots,
  acpPage,
  agentsPage,
  protocolPage,
  validatePage,
  commandPage,
  manPage,
  settingsPage,
  ...filePages,
  ...schemas,
  ...quickShapes,
]

const results = generators.map(({ path, content }) => {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url))
  const text = content()
  return { path, file, text, current: textOf(file) === text }
})
const stale = results.filter(result => !result.current)

if (process.argv.includes('--check')) {
  for (const { path } of stale) console.log(`${path}:1 is not current; run: npm run generate`)
  if (stale.length > 0) process.exitCode = 1
} else {
  for (const { file, text } of stale) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const { path, current } of results) console.log(`${path} ${current ? 'is current' : 'written'}`)
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
