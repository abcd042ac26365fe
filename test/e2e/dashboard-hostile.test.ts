import { basename } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { sharedBrowser } from '../clients/chromium.ts'
import { verifies } from '../conformance/verifies.ts'
import { bash, lightCodon as codon, hankFolder, lightAgents } from '../support/hank-folder.ts'
import { hostileTexts } from '../support/hostile-texts.ts'
import { isProof, tally } from '../support/proof.ts'
import { dashboardPaths, startWebPages } from '../support/web-page.ts'

const browser = sharedBrowser()

/** Texts that stand together in each place, and how often every page is looked at with others. */
const together = 20
const rounds = isProof ? hostileTexts.length / together : 2

describe('hostile texts in the dashboard', () => {
  verifies(
    ['page/harmless'],
    'do nothing in any place where a text of an answer is shown',
    async () => {
      const at = await hankFolder([codon('plan'), codon('end')], {
        'weave.json': { ...lightAgents, gates: [{ id: 'ok', before: 'end', message: 'Look' }] },
        'rehearsal.json': { codons: { plan: [bash('echo one > plan.md; ls; false'), { say: 'Planned.' }] } },
      })
      expect(at.rehearse('--headless', '--on-gate', 'exit').status).toBe(3)
      const name = basename(at.execution())
      const pages = await startWebPages(at, await browser())
      const page = await pages.open('/')
      let texts = ''
      await page.route('**/api/**', async route => {
        // A connection that the hub closed because nobody used it is no answer.
        const answer = await route.fetch({ maxRetries: 2 }).catch(() => undefined)
        // Mostly nobody waits for it any more: the page is another one.
        if (!answer) return route.abort().catch(() => undefined)
        const isJson = answer.headers()['content-type']?.startsWith('application/json')
        if (!isJson) return route.fulfill({ response: answer })
        const json = poisoned(await answer.json(), { texts, name })
        return route.fulfill({ response: answer, json }).catch(() => undefined)
      })
      await page.addInitScript(countViolations)
      const shown = new Set<string>()
      let looks = 0
      for (let round = 0; round < rounds; round++) {
        texts = hostileTexts.slice(round * together, (round + 1) * together).join(' ')
        for (const path of dashboardPaths(name)) {
          await page.goto(`${pages.origin}${path}`)
          await page.locator('main:not(.lone)').waitFor()
          await expect.poll(() => page.evaluate(isRead), { timeout: 90_000, message: path }).toBe(true)
          if (await page.evaluate(isHostile)) shown.add(path)
          expect(await page.evaluate('[globalThis.harm, globalThis.violations]'), path).toEqual([
            undefined,
            0,
          ])
          await expectUnbroken(page, path)
          looks++
        }
      }
      expect(pages.complaints).toEqual([])
      tally('hostile texts in every place of the dashboard', rounds * together)
      tally('pages with hostile texts', looks)
      // The timeline of an execution has nothing but ids, and no sentinel said anything.
      expect(shown.size).toBeGreaterThanOrEqual(9)
    },
    1_800_000,
  )
})

const countViolations = `globalThis.violations = 0
  addEventListener('securitypolicyviolation', () => { globalThis.violations += 1 })`

/** Nothing is under way any more. */
const isRead = `!/Reading|Loading|Searching/.test(document.querySelector('main')?.textContent ?? 'Reading')`
const isHostile = `/harm|elsewhere/i.test(document.querySelector('main')?.textContent)`

/** No element that only a text could have made. */
async function expectUnbroken(page: Page, path: string): Promise<void> {
  const made =
    'main :is(script, iframe, img, object, base, meta, style, link, math, template, video, form:not(dialog form))'
  expect(await page.locator(made).count(), path).toBe(0)
}

/** Fields whose values are chosen by the program; a page finds its way by them. */
const ours =
  /^(?:seq|type|kind|id|sha|etag|status|timestamp|action|currency|do|decision|of|by|severity|code|relation|verdict|zone|source|onExceeded|transitionType|checkpointType|gateId|session|mode|expiresAt)$|Id$|At$|Time$/

/** An answer in which every free text is another one. */
function poisoned(value: unknown, given: { readonly texts: string; readonly name: string }): unknown {
  if (typeof value === 'string')
    return value === given.name || /^\d{4}-\d\d-\d\dT/.test(value) ? value : given.texts
  if (Array.isArray(value)) return value.map((each: unknown) => poisoned(each, given))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, ours.test(key) ? each : poisoned(each, given)]),
  )
}
