import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import axeCore from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { readApi } from 'weave-client'
import { type Fleet, openFleet } from 'weave-fleet'
import { sharedBrowser } from '../clients/chromium.ts'
import { verifies } from '../conformance/verifies.ts'
import { folderAt, lightAgents, lightModel } from '../support/hank-folder.ts'
import { launcher, root, startCommand } from '../support/weave-command.ts'
import { startWebPages } from '../support/web-page.ts'

const browser = sharedBrowser()
const harm = '<img src=x onerror="globalThis.harm=1"></script><script>globalThis.harm=1</script>\u202e'

const base = mkdtempSync(join(tmpdir(), 'weave-fleet-page-'))
const at = folderAt(base)
const home = at.env['HOME'] ?? ''
let fleet: Fleet
let batch = ''
const open = (): Promise<Fleet> =>
  openFleet({ home, environment: { PATH: process.env['PATH'] }, works: false })

beforeAll(() => {
  mkdirSync(home, { recursive: true })
  cpSync(join(root, 'examples/10-fleet'), join(base, 'hank'), { recursive: true })
  // A page shows every agent alike.
  const hank = readFileSync(at.path('hank/hank.json'), 'utf8').replaceAll('openai/gpt-5', lightModel)
  at.write({ 'hank/hank.json': hank, 'weave.json': lightAgents })
})

afterAll(async () => {
  const [row] = await fleet.engine.database.query<{ data_directory: string }>('show data_directory')
  await fleet.close()
  for (const folder of [base, fleet.root, dirname(row?.data_directory ?? join(base, 'x'))])
    rmSync(folder, { recursive: true, force: true })
}, 60_000)

const sql = (text: string, ...values: readonly unknown[]) => fleet.engine.database.query(text, values)

/** As a page asks, with its own session. */
async function asked(page: Page, path: string): Promise<{ status: number; body: unknown }> {
  const { origin } = new URL(page.url())
  const token = String(await page.evaluate('JSON.parse(sessionStorage.getItem("weave-session")).session'))
  const answer = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } })
  return { status: answer.status, body: await answer.json() }
}

describe('the pages of a fleet', () => {
  verifies(
    ['page/fleet', 'page/fleet-rests'],
    'is told of a fleet as soon as there is one; the engine at rest is said, and stays at rest',
    async () => {
      // A hub that begins before there is a fleet.
      const pages = await startWebPages(at, await browser())
      const page = await pages.open('/fleet')
      await page.getByText('There is no fleet here.').waitFor()
      expect(await page.getByRole('link', { name: 'Fleet' }).count()).toBe(0)
      expect((await asked(page, '/api/fleet')).status).toBe(404)

      const before = await open()
      await before.close()
      await page.getByText('The engine is at rest').waitFor({ timeout: 30_000 })
      await page.getByText('weave fleet up').waitFor()
      const { body } = await asked(page, '/api/fleet')
      expect(readApi.fleet.answer.parse(body)).toEqual({ state: 'resting', isNew: false })
      expect((await asked(page, '/api/fleet/nothing-1')).body).toMatchObject({ state: 'resting' })

      fleet = await open()
      await page.getByText('Nothing was submitted yet').waitFor({ timeout: 30_000 })
      expect(pages.complaints.filter(text => !text.includes('404'))).toEqual([])
    },
    120_000,
  )

  verifies(
    ['page/fleet'],
    'follows a real batch to its end, filters it, groups what failed, and leads to what was pulled',
    async () => {
      const words = [
        'submit',
        'hank',
        ...['dill', 'mint', 'sage'].flatMap(name => ['--data', `hank/sets/${name}`]),
      ]
      const said = at.weave(
        ...words,
        '--rehearse',
        '--name',
        harm,
        '--max-cost',
        '5',
        '--skip-self-test',
        '--json',
      )
      expect(said.status, said.stderr).toBe(0)
      batch = (JSON.parse(said.stdout) as { batch: string }).batch
      const pages = await startWebPages(at, await browser())
      const page = await pages.open('/fleet')
      await page.getByText('3 queued').waitFor({ timeout: 30_000 })
      await page.getByRole('link', { name: /img src=x/ }).click()
      await page.getByRole('heading', { level: 1, name: /img src=x/ }).waitFor()
      const worker = at.start('worker', '--slots', '1', '--until-idle')
      await page.getByText('3 succeeded').first().waitFor({ timeout: 180_000 })
      expect(await worker.ended).toBe(0)
      const rows = page.getByRole('region', { name: 'Executions' }).locator('tbody tr')
      expect(await rows.count()).toBe(3)
      expect(await rows.first().textContent()).toMatch(/dill.*succeeded.*\$0\.00/)

      await sql(
        "update fleet.execution set state = 'failed', reason = $2 where batch = $1 and n > 1",
        batch,
        harm,
      )
      await page
        .getByRole('region', { name: 'What did not succeed' })
        .getByText('2, 3')
        .waitFor({ timeout: 30_000 })
      await page.getByRole('link', { name: 'failed 2' }).click()
      await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(2)
      expect(page.url()).toBe(`${pages.origin}/fleet/${batch}?state=failed`)
      await page.reload()
      await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(2)
      await page.keyboard.press('Escape')
      await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(3)

      const copy = page.getByRole('button', { name: `Copy pull: weave fleet pull ${batch}.1` })
      expect(await copy.count()).toBe(1)
      const pulled = at.weave('fleet', 'pull', `${batch}.1`)
      expect(pulled.status, pulled.stderr).toBe(0)
      await rows.first().getByRole('link', { name: 'Open' }).click({ timeout: 30_000 })
      await page.locator('.plan [data-status="completed"]').first().waitFor({ timeout: 30_000 })
      await page.keyboard.press('F')
      await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor()
      expect(await page.evaluate('globalThis.harm')).toBeUndefined()

      const answer = await asked(page, `/api/fleet/${batch}?limit=1&after=1`)
      const parsed = readApi.batch.answer.parse(answer.body)
      expect(parsed).toMatchObject({ executions: [{ n: 2, state: 'failed' }], left: 1 })
      expect((await asked(page, '/api/fleet/no-such-1')).status).toBe(404)
      expect((await asked(page, `/api/fleet/${batch}?state=odd`)).status).toBe(400)
      expect((await asked(page, `/api/fleet/${batch}?limit=501`)).status).toBe(400)
      expect((await asked(page, '/api/fleet/a%2Fb')).status).toBe(400)
      expect((await fetch(`${pages.origin}/api/fleet`)).status).toBe(401)
      expect((await fetch(`${pages.origin}/api/fleet/${batch}`, { method: 'POST' })).status).toBe(405)
    },
    300_000,
  )

  verifies(
    ['fleet/look'],
    'in a terminal says what is spent once, and repeats an amount that is none',
    () => {
      const { stdout } = at.weave('fleet', 'status', batch)
      expect(stdout).toMatch(/^Spent {6}simulated \$0\.\d{4} of \$5\.00$/m)
      expect(stdout.match(/spent|money/gi)).toHaveLength(1)
      const wrong = at.weave('fleet', 'budget', batch, '--max-cost', 'abc')
      expect(wrong.status).toBe(2)
      expect(wrong.stderr).toContain('--max-cost: expected an amount in dollars; found "abc"')
      const unsaid = at.weave('fleet', 'budget', batch, '--settle', `${batch}.1`, '--spent', '-1')
      expect(unsaid.stderr).toContain('--spent: expected an amount in dollars; found "-1"')
    },
    60_000,
  )

  verifies(
    ['page/fleet', 'page/accessible', 'page/phone', 'page/harmless'],
    'is free of serious faults for everybody, in both themes, and no wider than a phone',
    async () => {
      await sql("select fleet.worker_up('w', $1, 1, '0', '{default}', 8, 0)", harm)
      await sql("select fleet.set_throttle('anthropic', 20, 600, null, 'me')")
      await sql(
        "update fleet.throttle set blocked_until = clock_timestamp() + interval '1 hour', refusals = 2",
      )
      await sql("update fleet.batch set state = 'paused', pause_reason = $2 where id = $1", batch, harm)
      const pages = await startWebPages(at, await browser())
      const found: string[] = []
      for (const [width, colorScheme] of [
        [320, 'dark'],
        [1280, 'light'],
      ] as const) {
        const page = await pages.open('/fleet', { width, colorScheme })
        for (const path of ['/fleet', `/fleet/${batch}`]) {
          await page.goto(`${pages.origin}${path}`)
          await page.locator('main h2').first().waitFor({ timeout: 30_000 })
          found.push(...(await faultsOf(page)).map(fault => `${path} ${width} ${colorScheme}: ${fault}`))
          const wide = Number(await page.evaluate('document.querySelector("main").scrollWidth'))
          if (wide > width) found.push(`${path} is ${wide} wide at ${width}`)
          expect(await page.evaluate('globalThis.harm')).toBeUndefined()
        }
        await page.context().close()
      }
      expect(found).toEqual([])
      expect(pages.complaints.filter(text => !text.includes('404'))).toEqual([])
    },
    180_000,
  )

  verifies(
    ['page/fleet-rests'],
    'asks nothing while it is not in sight, says when the engine is away, and which package is missing',
    async () => {
      const pages = await startWebPages(at, await browser())
      const page = await pages.open(`/fleet/${batch}`)
      await page.locator('main h2').first().waitFor({ timeout: 30_000 })
      await page.clock.install()
      await page.evaluate(
        'Object.defineProperty(document, "hidden", { configurable: true, get: () => true })',
      )
      let count = 0
      page.on('request', request => {
        if (request.url().includes('/api/fleet')) count++
      })
      await page.clock.runFor(60_000)
      const once = count
      await page.clock.runFor(600_000)
      expect(once).toBeLessThan(2)
      expect(count).toBe(once)
      await page.evaluate(
        'Object.defineProperty(document, "hidden", { get: () => false }); document.dispatchEvent(new Event("visibilitychange"))',
      )
      await expect.poll(() => count, { timeout: 30_000 }).toBeGreaterThan(once)
      await page.context().close()

      const gone = { WEAVE_FLEET_URL: 'postgres://nobody:s3cret@127.0.0.1:1/none' }
      expect(await messageAt('gone', { env: gone })).toBe('The engine of the fleet has gone away.')
      const alone = join(base, 'alone')
      for (const part of ['bin', 'dist', 'package.json'])
        cpSync(join(root, 'packages/cli', part), join(alone, part), { recursive: true })
      const message = await messageAt('lacks', { program: join(alone, 'bin/weave.cjs') })
      expect(message).toBe('The pages of a fleet need a package more.')
    },
    180_000,
  )
})

/** Why a hub of somebody else, who has a fleet, has nothing to show. */
async function messageAt(
  name: string,
  {
    env = {},
    program = launcher,
  }: { readonly env?: Readonly<Record<string, string>>; readonly program?: string },
): Promise<unknown> {
  const other = join(base, name)
  mkdirSync(join(other, '.weave/fleet'), { recursive: true })
  const hub = startCommand(program, ['web', '--print', '--port', '0'], {
    cwd: other,
    env: { HOME: other, ...env },
  })
  const said = await hub.until(/#key=\S{40}/)
  const [, origin = '', key = ''] = /(http:\S+?)\/#key=(\S+)/.exec(said) ?? []
  const bought = await fetch(`${origin}/api/session`, { method: 'POST', body: JSON.stringify({ key }) })
  const { session } = (await bought.json()) as { session: string }
  const answer = await fetch(`${origin}/api/fleet`, { headers: { authorization: `Bearer ${session}` } })
  const page = readApi.fleet.answer.parse(await answer.json())
  expect(JSON.stringify(page)).not.toContain('s3cret')
  return page.state === 'away' ? page.message : page.state
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string | null
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

/** What is serious or worse. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axeCore.source)
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`)
}
