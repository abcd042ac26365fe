import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import axeCore from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect } from 'vitest'
import { sharedBrowser } from '../clients/chromium.ts'
import { verifies } from '../conformance/verifies.ts'
import {
  bash,
  lightCodon as codon,
  type HankFolder,
  hankFolder,
  hankFolderIn,
  lightAgents,
} from '../support/hank-folder.ts'
import { isProof, tally } from '../support/proof.ts'
import { cookiesOf, dashboardPaths, startWebPages } from '../support/web-page.ts'

const browser = sharedBrowser()
const axe = axeCore.source

const harm = '<img src=x onerror="globalThis.harm=1"></script><script>globalThis.harm=1</script>\u202e'

/** A hank whose middle codon does not end by itself, and a gate before the last. */
function steered(): Promise<HankFolder> {
  return hankFolder([codon('plan'), codon('write'), codon('publish')], {
    'weave.json': {
      ...lightAgents,
      gates: [{ id: 'ok', before: 'publish', message: `Read it ${harm}`, show: ['*.md'] }],
    },
    'rehearsal.json': {
      codons: {
        plan: [bash('echo one > plan.md'), { say: `Planned ${harm}` }],
        write: [bash('echo two >> plan.md'), { say: 'Written.', wait: 60_000 }],
        publish: [bash('cp plan.md page.md'), { say: 'Published.' }],
      },
    },
  })
}

const ended = mkdtempSync(join(tmpdir(), 'weave-dashboard-'))
afterAll(() => rmSync(ended, { recursive: true, force: true }))

/** An execution that ran to its end, the same for all who only look at it. */
function done(): HankFolder {
  const at = hankFolderIn(ended, [codon('plan'), codon(`end`, { name: harm })], {
    'weave.json': lightAgents,
    'rehearsal.json': {
      codons: { plan: [bash('echo one > plan.md'), { say: harm }], end: [bash('echo two >> plan.md')] },
    },
  })
  if (at.executions().length > 0) return at
  const { status, stderr } = at.rehearse('--headless')
  expect(status, stderr).toBe(0)
  return at
}

const plan = (page: Page) => page.locator('.plan')

describe('the dashboard in a browser', () => {
  verifies(
    ['page/session', 'page/links'],
    'takes the key out of the address, lets another tab in without one, keeps no cookie, and says when a link was used',
    async () => {
      const at = done()
      const pages = await startWebPages(at, await browser())
      const name = basename(at.execution())
      const link = await pages.link(`/e/${name}/stream?at=3`, name)
      const context = await (await browser()).newContext()
      const first = await context.newPage()
      await first.goto(link)
      await first.locator('h1').first().waitFor()
      expect(first.url()).toBe(`${pages.origin}/e/${name}/stream?at=3`)
      await first.getByRole('heading', { name: 'Event 3' }).waitFor()
      const second = await context.newPage()
      await second.goto(`${pages.origin}/`)
      await second.getByRole('link', { name: 'hank' }).first().waitFor()
      expect(await cookiesOf(context)).toBe(0)
      const stranger = await (await browser()).newPage()
      await stranger.goto(link)
      await stranger.getByText('This link was used before.').waitFor()
      expect(await stranger.textContent('main')).toContain(`weave open ${name}`)
      expect(stranger.url()).not.toContain('key')
    },
    120_000,
  )

  verifies(
    ['page/controls', 'page/gates', 'page/preview', 'page/live', 'page/refusals'],
    'watches a run live, stops a codon, previews and goes back, approves at a gate and sees the end',
    async () => {
      const at = await steered()
      const run = at.start('rehearse', '--keep-alive')
      await run.until('Clients ')
      const name = basename(at.execution())
      const pages = await startWebPages(at, await browser())
      const page = await pages.open(`/e/${name}`, { execution: name })
      await plan(page).getByText('write · running').waitFor({ timeout: 60_000 })
      await page.getByRole('button', { name: 'Stop now' }).click()
      await page.getByLabel('Why').fill('too long')
      await page.getByRole('button', { name: 'Stop it' }).click()
      await plan(page).getByText('write · failed').waitFor({ timeout: 30_000 })

      await page.getByRole('link', { name: 'Checkpoints' }).first().click()
      await page
        .getByRole('row', { name: /plan completed/ })
        .getByRole('button')
        .click()
      const preview = page.getByRole('complementary', { name: 'Preview' })
      await preview.getByText('To be done again').waitFor()
      expect(await preview.textContent()).toContain('write')
      await preview.getByRole('button', { name: 'Go back' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Go back' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached', timeout: 60_000 })
      await expect.poll(() => at.events('rollback.completed').length, { timeout: 30_000 }).toBe(1)

      await page.getByRole('button', { name: 'Start next' }).click()
      await plan(page).getByText('write · running').waitFor({ timeout: 60_000 })
      await page.getByRole('button', { name: 'Skip' }).click()
      await page.getByRole('button', { name: 'Skip it' }).click()
      const approve = { name: 'Approve', exact: true }
      await page.getByRole('button', approve).waitFor({ timeout: 60_000 })
      const late = await pages.open(`/e/${name}/settings`)
      await late.route('**/api/executions?wait*', route => route.abort())
      await expect.poll(() => showsGateAtOnce(late, pages.origin), { timeout: 60_000 }).toBe(true)
      await page.getByRole('button', approve).click()
      await expect.poll(() => at.events('gate.decided').length, { timeout: 30_000 }).toBe(1)
      await late.getByRole('button', approve).click()
      await late.getByText(/GATE_DECIDED|GATE_STALE|UNKNOWN_GATE/).waitFor()
      await plan(page).locator('[data-status="completed"]').nth(1).waitFor({ timeout: 60_000 })
      expect(at.events('gate.decided')[0]?.data).toMatchObject({ decision: 'approved' })
      await page.locator('.pill[data-status="completed"]').first().waitFor({ timeout: 60_000 })
      // Nothing is left to start.
      await page.getByRole('button', { name: 'Redo' }).waitFor()
      expect(await page.getByRole('button', { name: 'Start next' }).count()).toBe(0)
      expect(pages.complaints.filter(text => !text.includes('ERR_FAILED'))).toEqual([])
      expect(await page.evaluate('globalThis.harm')).toBeUndefined()
    },
    300_000,
  )

  verifies(
    ['page/readonly'],
    'shows no control to who only watches',
    async () => {
      const at = await steered()
      const run = at.start('rehearse', '--keep-alive')
      await run.until('Clients ')
      const name = basename(at.execution())
      const pages = await startWebPages(at, await browser(), ['--readonly'])
      const page = await pages.open(`/e/${name}`, { execution: name })
      await page.getByText('live', { exact: true }).waitFor({ timeout: 60_000 })
      await page.getByText('read only').waitFor()
      expect(await page.locator('.controls').count()).toBe(0)
    },
    120_000,
  )

  verifies(
    ['page/accessible', 'page/harmless', 'page/phone'],
    'is free of serious faults for everybody, in both themes, at three widths, and shows hostile text as text',
    async () => {
      const at = done()
      const name = basename(at.execution())
      const pages = await startWebPages(at, await browser())
      const paths = dashboardPaths(name)
      const looks = isProof
        ? [320, 768, 1280].flatMap(width =>
            (['light', 'dark'] as const).map(colorScheme => ({ width, colorScheme })),
          )
        : ([
            { width: 320, colorScheme: 'dark' },
            { width: 1280, colorScheme: 'light' },
          ] as const)
      const found: string[] = []
      for (const look of looks) {
        const page = await pages.open('/', look)
        for (const path of paths) {
          await page.goto(`${pages.origin}${path}`)
          await page.locator('h1').first().waitFor()
          await expect.poll(() => page.evaluate(isRead), { timeout: 90_000 }).toBe(true)
          for (const fault of await faultsOf(page))
            found.push(`${path} ${look.width} ${look.colorScheme}: ${fault}`)
          const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
          if (wide > look.width) found.push(`${path} is ${wide} wide at ${look.width}`)
          expect(await page.evaluate('globalThis.harm')).toBeUndefined()
        }
        await page.context().close()
      }
      expect(found).toEqual([])
      tally('pages looked at by axe', looks.length * paths.length)
      expect(pages.complaints).toEqual([])
    },
    isProof ? 1_800_000 : 300_000,
  )

  verifies(
    ['page/keys', 'page/filter'],
    'is used with keys alone: panels, search, moving, opening an event, help',
    async () => {
      const at = done()
      const name = basename(at.execution())
      const pages = await startWebPages(at, await browser())
      const page = await pages.open(`/e/${name}`, { execution: name })
      await page.locator('.event').first().waitFor()
      await page.keyboard.press('2')
      await page.getByRole('region', { name: 'Timeline' }).waitFor()
      // Faster than the panel with the field is drawn: no letter is a command, and none is lost.
      await page.evaluate(`for (const key of '/echo two')
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`)
      await expect.poll(() => page.locator('.event').count()).toBeLessThan(4)
      await expect.poll(() => page.url()).toContain('q=echo+two')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await expect.poll(() => page.locator('.event').count()).toBeGreaterThan(10)
      await page.keyboard.press('g')
      await page.keyboard.press('k')
      await page.keyboard.press('j')
      await page.getByRole('heading', { name: /^Event/ }).waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog').getByText('start the next codon').waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('o')
      await page.getByRole('heading', { name: 'Executions' }).waitFor()
      expect(pages.complaints).toEqual([])
    },
    120_000,
  )
})

/** The list as it is read once: a list that was made before the gate opened is read anew. */
async function showsGateAtOnce(page: Page, origin: string): Promise<boolean> {
  await page.goto(`${origin}/`)
  const approve = page.getByRole('button', { name: 'Approve', exact: true })
  return approve.waitFor({ timeout: 5000 }).then(
    () => true,
    () => false,
  )
}

/** Nothing is under way any more. */
const isRead = '!/Reading|Loading|Searching/.test(document.querySelector("main")?.textContent ?? "Loading")'

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string | null
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

/** What is serious or worse. Put in as text of the driver, which no policy of the page concerns. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe)
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)} (${nodes.length})`)
}
