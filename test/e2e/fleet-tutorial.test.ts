import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { followPage } from '../support/followed-page.ts'
import { tempDir } from '../support/temp-dir.ts'
import { scriptedWeave } from '../support/weave-command.ts'

// The bundle is made before, so that no test here makes it.
beforeAll(scriptedWeave, 120_000)

/** What lies outside of the reader's home: where workers work, and the engine of a reader who is root. */
function removeLeftovers(home: string): void {
  const words = join(home, 'herbs/first.txt')
  const [, root] = /in (\/\S+)/.exec(existsSync(words) ? readFileSync(words, 'utf8') : '') ?? []
  const engine = `weave-engine-${createHash('sha256').update(home).digest('hex').slice(0, 12)}`
  for (const folder of [join('/var/tmp', engine), root])
    if (folder?.startsWith('/var/tmp/weave-')) rmSync(folder, { recursive: true, force: true })
}

verifies(
  ['fleet/tutorial', 'fleet/take-over', 'fleet/pull', 'fleet/report', 'fleet/up-down'],
  'the tutorial of the fleet can be followed literally, and everything is printed as it says',
  async () => {
    const base = await tempDir()
    const home = join(base, 'home')
    onTestFinished(() => removeLeftovers(home))
    await followPage('docs/fleet-tutorial.md', { base, from: '.', least: 20 })
    expect(readdirSync(join(home, 'herbs/results'))).toHaveLength(5)
  },
  300_000,
)
