import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { ReportData, ReportEvents } from '@weave/protocol'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { htmlReport } from '../../packages/cli/src/report/html-report.ts'
import { type ReadReport, readReport } from '../../packages/cli/src/report/read-report.ts'
import { executionLayout } from '../../packages/runtime/src/workspace/index.ts'
import { bundleReportPage } from '../../scripts/bundle/report-page.mjs'
import { sharedBrowser } from '../clients/chromium.ts'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder } from '../support/hank-folder.ts'
import { heardTerminal } from '../support/heard-terminal.ts'
import { tempDir } from '../support/temp-dir.ts'
import { root, scriptedWeave } from '../support/weave-command.ts'
import { hostile, writeLongExecution } from './report-execution.ts'

beforeAll(scriptedWeave, 120_000)

const browser = sharedBrowser()

interface Opened {
  readonly page: Page
  /** Whatever went wrong or was asked of the network. */
  readonly complaints: readonly string[]
}

async function open(
  file: string,
  options: { width?: number; colorScheme?: 'light' | 'dark' } = {},
): Promise<Opened> {
  const { width = 1280, colorScheme = 'light' } = options
  const page = await (await browser()).newPage({ viewport: { width, height: 900 }, colorScheme })
  const complaints: string[] = []
  page.on('console', message => void complaints.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', error => void complaints.push(String(error)))
  page.on('request', request => {
    if (request.url() !== `file://${file}`) complaints.push(`asked for ${request.url()}`)
  })
  await page.goto(`file://${file}`)
  await page.waitForSelector('.event')
  return { page, complaints }
}

const numberIn = async (page: Page, script: string): Promise<number> => Number(await page.evaluate(script))

/** A run of two codons, taken back to before the second and finished again. */
async function rolledBackRun() {
  const at = await hankFolder([codon('first'), codon('second')], {}, { inMemory: true })
  await at.scripted('--max-cost', '5')
  await at.scripted('rollback', 'first', '-y')
  await at.scripted('--max-cost', '5')
  return at
}

type Written = Extract<ReadReport, { readonly ok: true }>

/** The page reads what the command writes: the compiler says so. */
const dataOf = ({ data }: Written): ReportData => data
const eventsOf = ({ events }: Written): ReportEvents => events

describe('a report in a browser', () => {
  verifies(
    ['d2/command-report', 'repair/report-safety-name', 'repair/report-conversation'],
    'shows runs, spending, files with diffs, settings and events, and asks nobody for anything',
    async () => {
      const at = await rolledBackRun()
      const file = at.path('report.html')
      expect(at.weave('report', at.execution(), '-o', file)).toEqual({
        status: 0,
        stdout: `${file}\n`,
        stderr: `hank · ${basename(at.execution())}\n`,
      })
      const { page, complaints } = await open(file)
      expect(await page.textContent('h1')).toBe('hank')
      expect(await page.textContent('.title .pill')).toBe('completed')
      expect(await page.locator('.run').count()).toBe(3)
      expect(await page.locator('.run').nth(1).textContent()).toContain('rolled back, after first')
      expect(await page.locator('.bar[data-undone]').allTextContents()).toEqual([
        expect.stringContaining('second'),
      ])
      expect(await page.textContent('#settings')).toContain('budget.maxDollars5--max-cost')
      expect(await page.textContent('#budget')).toContain('--max-cost')

      const names = await page.locator('.checkpoint > summary > b').allTextContents()
      expect(names.filter(name => name === 'the beginning')).toHaveLength(1)
      expect(names).toContain('before the rollback')

      const checkpoint = page.locator('.checkpoint').filter({ hasText: 'first' }).first()
      await checkpoint.locator('summary').first().click()
      await checkpoint.locator('.file > summary').click()
      expect(await checkpoint.locator('[data-line="added"]').first().textContent()).toBe('+# first\n')

      const talk = page.locator('.talk').first()
      await talk.locator('summary').click()
      expect(await talk.locator('[data-kind="prompt"] pre').textContent()).toContain('Work on first.')

      await page.getByLabel('Type').selectOption('codon.completed')
      expect(await page.locator('.event').count()).toBe(3)
      await page.getByLabel('Search in events').fill('SECOND')
      expect(await page.locator('.event').count()).toBe(2)
      await page.locator('.event').first().click()
      expect(await page.textContent('.event-detail')).toContain('codon second completed')
      const [left, right] = [
        await page.locator('.events').boundingBox(),
        await page.locator('.event-detail').boundingBox(),
      ]
      expect(right?.x).toBeGreaterThan((left?.x ?? 0) + (left?.width ?? 0))
      await page.emulateMedia({ media: 'print' })
      expect(await page.locator('#events').isVisible()).toBe(false)
      expect(complaints).toEqual([])
    },
    120_000,
  )

  test('of a live execution says that it is one and leaves the checkpoints alone', async () => {
    const execution = (await rolledBackRun()).execution()
    const lock = {
      pid: process.pid,
      pidStartTime: '',
      runId: 'x',
      startTime: now(),
      lastHeartbeat: now(),
      port: 0,
    }
    writeFileSync(join(execution, '.weave/lock.json'), JSON.stringify(lock))
    const read = await readReport(executionLayout(execution))
    if (!read.ok) throw new Error(read.message)
    const report = dataOf(read)
    expect(eventsOf(read).seq.length).toBeGreaterThan(20)
    expect(report.execution.isLive).toBe(true)
    expect(report.notes.join()).toContain('A run is going on.')
    expect(report.checkpoints.items.map(({ note }) => note)).toContain('not looked at')
  }, 60_000)
})

const now = () => new Date().toISOString()

describe('a report of a long execution with hostile texts', () => {
  const events = process.env['WEAVE_PROOF'] ? 100_000 : 20_000

  async function longReport(count = events): Promise<string> {
    const dir = await tempDir({ inMemory: true })
    const execution = join(dir, 'long')
    mkdirSync(join(execution, 'agentRoot'), { recursive: true })
    await writeLongExecution(execution, { events: count })
    const file = join(dir, 'long.html')
    const terminal = heardTerminal()
    const layout = executionLayout(execution)
    const parts = await bundleReportPage(root)
    await htmlReport({ layout, file, json: false, workingDirectory: dir, parts }, terminal)
    expect(terminal.said).toEqual({ out: [file], error: [] })
    return file
  }

  test('is on the screen within three seconds, does no harm, can be searched, and fits a phone', async () => {
    const file = await longReport()
    const { page, complaints } = await open(file)
    const painted = await numberIn(
      page,
      'performance.getEntriesByName("first-contentful-paint")[0].startTime',
    )
    expect(painted).toBeLessThan(3_000)

    expect(await page.textContent('h1')).toBe(`Long ${hostile[1]}`)
    expect(await page.locator('img, iframe, object, embed').count()).toBe(0)
    expect(await page.locator('script').count()).toBe(3)
    expect(await page.evaluate('typeof globalThis.harm')).toBe('undefined')
    expect(await page.textContent('#sentinels')).toContain(String.raw`\u{202e}gnp.exe\u{202c}`)
    expect(await page.evaluate('/[\\u202e\\u200b\\u001b]/.test(document.body.innerText)')).toBe(false)

    expect(await page.locator('section').first().getAttribute('id')).toBe('errors')
    expect(await page.locator('.event').count()).toBeLessThan(100)
    await page.getByLabel('Search in events').fill('action 77 revise#1')
    expect(await page.textContent('[role="status"]')).toMatch(/^\d+ events of [\d,]+$/)
    expect(await page.locator('.event').first().textContent()).toContain('Action 77 of revise#1')
    await page.getByLabel('Search in events').fill('')
    await page.getByLabel('Codon').selectOption(`bad ${hostile[0]}`)
    await page.evaluate(
      `{ const list = document.querySelector('.events'); list.scrollTop = list.scrollHeight }`,
    )
    await page.locator('.event', { hasText: 'failed' }).waitFor()
    expect(complaints).toEqual([])
    await page.close()

    const phone = await open(file, { width: 390, colorScheme: 'dark' })
    const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await numberIn(phone.page, beyond)).toBe(0)
    expect(await phone.page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      'rgb(19, 21, 24)',
    )
    expect(phone.complaints).toEqual([])
    await phone.page.close()
  }, 120_000)

  test('lets no other script run, whoever puts it there', async () => {
    const { page, complaints } = await open(await longReport(120))
    await page.evaluate(`try {
      const script = document.createElement('script')
      script.text = 'globalThis.harm = 1'
      document.body.append(script)
    } catch {}`)
    await page.evaluate(
      `try { document.body.innerHTML = '<img src=x onerror="globalThis.harm = 1">' } catch {}`,
    )
    await page.evaluate(`fetch('http://127.0.0.1:9/').catch(() => undefined)`)
    expect(await page.evaluate('typeof globalThis.harm')).toBe('undefined')
    expect(await page.locator('main').count()).toBe(1)
    expect(complaints.filter(line => line.startsWith('asked for'))).toEqual([])
    expect(complaints.join()).toContain('Content Security Policy')
  }, 60_000)
})
