import { basename } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { sharedBrowser } from '../clients/chromium.ts'
import { verifies } from '../conformance/verifies.ts'
import { bash, type HankFolder, hankFolder, lightAgents, lightCodon } from '../support/hank-folder.ts'
import { hearFaults, startWebPages } from '../support/web-page.ts'

const browser = sharedBrowser()

/** A hank whose middle codon does not end by itself, and a gate before the last. */
function steered(): Promise<HankFolder> {
  return hankFolder([lightCodon('plan'), lightCodon('write'), lightCodon('publish')], {
    'weave.json': { ...lightAgents, gates: [{ id: 'ok', before: 'publish', message: 'Read it.' }] },
    'rehearsal.json': {
      codons: {
        plan: [bash('echo one > plan.md; echo needle'), { say: 'Planned.' }],
        write: [bash('echo two >> plan.md'), { say: 'Written.', wait: 60_000 }],
        publish: [bash('cp plan.md page.md'), { say: 'Published.' }],
      },
    },
  })
}

const long = { timeout: 60_000 }
const plan = (page: Page) => page.locator('.plan')
const count = (at: HankFolder, type: string): number => at.events(type).length

describe('tasks in the dashboard', () => {
  verifies(
    ['page/tasks-with-keys', 'page/own-run', 'page/worst-case'],
    'twelve, with keys alone, on the page of a run that shows itself',
    async () => {
      const at = await steered()
      const run = at.start('rehearse', '--keep-alive', '--headless', '--web')
      const said = await run.until('Dashboard ')
      const [link = ''] = /http:\S+#key=[\w-]{43}/.exec(said) ?? []
      const page = await (await browser()).newPage()
      const complaints: string[] = []
      hearFaults(page, new URL(link).origin, complaints)
      await page.goto(link)
      await plan(page).getByText('write · running').waitFor(long)
      const { keyboard } = page

      // 1 Look at when it did what. 2 At what it may cost at most.
      await keyboard.press('2')
      await page.getByRole('region', { name: 'Timeline' }).waitFor()
      await keyboard.press('5')
      await page.getByText('nothing bounds it', { exact: false }).first().waitFor()
      // 3 Find a word. 4 Take the search away.
      await keyboard.press('/')
      await page.locator('#search:focus').waitFor()
      await keyboard.type('needle')
      await expect.poll(() => page.url(), long).toContain('q=needle')
      await expect.poll(() => page.locator('.event').count(), long).toBeLessThan(8)
      await keyboard.press('Escape')
      await keyboard.press('Escape')
      await expect.poll(() => page.locator('.event').count(), long).toBeGreaterThan(10)
      // 5 Choose a type. 6 Open an event and close it.
      await keyboard.press('t')
      await keyboard.type('Tool results')
      await expect.poll(() => page.url(), long).toContain('type=tool.result')
      await keyboard.press('Escape')
      await page.locator('.event[data-kind="result"]').first().waitFor()
      await keyboard.press('k')
      await page.getByRole('heading', { name: /^Event/ }).waitFor()
      await keyboard.press('Escape')
      await page.getByRole('heading', { name: /^Event/ }).waitFor({ state: 'detached' })
      // 7 Read the times in UTC. 8 Hear which keys there are.
      await keyboard.press('u')
      await page.locator('.zone', { hasText: 'UTC' }).waitFor()
      await keyboard.press('?')
      await page.getByRole('dialog').getByText('start the next codon').waitFor()
      await keyboard.press('Escape')
      // 9 Stop the codon, with a reason.
      await keyboard.press('f')
      await page.getByRole('dialog').waitFor()
      await tabTo(page, 'Why')
      await keyboard.type('too long')
      await tabTo(page, 'Stop it')
      await keyboard.press('Enter')
      await plan(page).getByText('write · failed').waitFor(long)
      // 10 Go back to a checkpoint, having seen what that does.
      await keyboard.press('b')
      await page.getByRole('row', { name: /plan completed/ }).waitFor()
      await tabTo(page, 'Preview', /plan completed/)
      await keyboard.press('Enter')
      await page.getByText('To be done again').waitFor()
      await tabTo(page, 'Go back')
      await keyboard.press('Enter')
      await page.getByRole('dialog').waitFor()
      await tabTo(page, 'Go back')
      await keyboard.press('Enter')
      await expect.poll(() => count(at, 'rollback.completed'), long).toBe(1)
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      // 11 Start the next codon and skip it.
      await keyboard.press('n')
      await plan(page).getByText('write · running').waitFor(long)
      await keyboard.press('s')
      await page.getByRole('dialog').waitFor()
      await tabTo(page, 'Skip it')
      await keyboard.press('Enter')
      // 12 Approve what waits.
      await page.getByRole('button', { name: 'Approve', exact: true }).waitFor(long)
      await keyboard.press('y')
      await page.getByRole('dialog').waitFor()
      await tabTo(page, 'Approve')
      await keyboard.press('Enter')
      await page.locator('.pill[data-status="completed"]').first().waitFor(long)
      expect(at.events('gate.decided')[0]?.data).toMatchObject({ decision: 'approved' })
      expect(complaints).toEqual([])
    },
    300_000,
  )

  verifies(
    ['page/tasks-on-a-phone', 'page/codon-controls'],
    'six, by touch, on a screen of 375 pixels',
    async () => {
      const at = await steered()
      const run = at.start('rehearse', '--keep-alive', '--headless')
      await run.until('Clients ')
      const name = basename(at.execution())
      const pages = await startWebPages(at, await browser())
      const page = await pages.open('/', { width: 375, isTouched: true })
      const button = (label: string) => page.getByRole('button', { name: label, exact: true })

      // 1 Find the run in the list.
      await page.locator(`a[href="/e/${name}/stream"]`).tap()
      await plan(page).getByText('write · running').waitFor(long)
      expect(await smallTargets(page)).toEqual([])
      // 2 Read an event, and close it.
      await page.locator('.event').nth(-2).tap()
      await page.getByRole('heading', { name: /^Event/ }).waitFor()
      expect(await smallTargets(page)).toEqual([])
      await page.locator('.side').getByRole('button', { name: 'Close' }).tap()
      // 3 Stop the codon.
      await button('Stop now').tap()
      await button('Stop it').tap()
      await plan(page).getByText('write · failed').waitFor(long)
      // 4 Go back to the end of a codon, having seen what that does.
      await plan(page).locator('.plan-codon', { hasText: 'plan' }).tap()
      await button('Back to here').tap()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('To be done again').waitFor(long)
      await dialog.getByRole('button', { name: 'Go back' }).tap()
      await expect.poll(() => count(at, 'rollback.completed'), long).toBe(1)
      await dialog.waitFor({ state: 'detached' })
      // 5 Start a codon without its rig, and skip it.
      await plan(page).locator('.plan-codon', { hasText: 'write' }).tap()
      await button('Start this').tap()
      await page.getByLabel('Without its rig').tap()
      await button('Start it').tap()
      await plan(page).getByText('write · running').waitFor(long)
      await button('Skip').tap()
      await button('Skip it').tap()
      // 6 Approve, in two taps from the list.
      await page.goto(`${pages.origin}/`)
      await button('Approve').tap(long)
      await expect.poll(() => count(at, 'gate.decided'), long).toBe(1)
      expect(at.events('rollback.completed')[0]?.data).toMatchObject({ codonId: 'plan' })
      expect(pages.complaints).toEqual([])
    },
    300_000,
  )
})

/** Presses Tab until what has the focus is called so, in a row that says so. */
async function tabTo(page: Page, label: string, row?: RegExp): Promise<void> {
  const focused = `(() => { const at = document.activeElement
    return [at?.closest('label')?.textContent ?? at?.textContent ?? '', at?.closest('tr')?.textContent ?? ''] })()`
  for (let press = 0; press < 120; press++) {
    const [text = '', around = ''] = (await page.evaluate(focused)) as readonly string[]
    if (text.startsWith(label) && (row === undefined || row.test(around))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${label}.`)
}

/** What a finger would miss. */
async function smallTargets(page: Page): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll('button, summary, select, nav a, input[type=search]')]
    .filter(each => each.checkVisibility() && each.getBoundingClientRect().height < 43.5)
    .map(each => each.outerHTML.slice(0, 100) + ' ' + each.getBoundingClientRect().height)`)
}
