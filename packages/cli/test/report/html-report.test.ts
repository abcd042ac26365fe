import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { executionLayout } from '@weave/runtime'
import { describe, expect, test } from 'vitest'
import { heardTerminal } from '../../../../test/support/heard-terminal.ts'
import { spentExecution } from '../../../../test/support/spent-execution.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { type HtmlReportOptions, htmlReport } from '../../src/report/html-report.ts'

const parts = { script: 'start()', style: 'p{}' }

async function reportOn(dir: string, options: Partial<HtmlReportOptions> = {}) {
  const terminal = heardTerminal()
  const code = await htmlReport(
    { layout: executionLayout(dir), file: undefined, json: false, workingDirectory: dir, parts, ...options },
    terminal,
  )
  return { code, ...terminal.said }
}

async function place(): Promise<string> {
  const dir = await spentExecution(await tempDir({ inMemory: true }))
  await mkdir(join(dir, 'agentRoot'))
  return dir
}

describe('weave report', () => {
  test('writes one page beside the reader, named after the execution, and says where', async () => {
    const dir = await place()
    const { code, out, error } = await reportOn(dir)
    const file = join(dir, `weave-report-${dir.split('/').at(-1)}.html`)
    expect({ code, out, error }).toEqual({ code: 0, out: [file], error: [] })
    const page = await readFile(file, 'utf8')
    expect(page).toContain('"cost":2.5')
    expect(await readdir(dir)).not.toContainEqual(expect.stringContaining('.part'))
  })

  test('writes over an earlier report, and over nothing else', async () => {
    const dir = await place()
    const [mine, report] = [join(dir, 'mine.html'), join(dir, 'report.html')]
    await writeFile(mine, '<!doctype html>\n<p>my page')
    expect(await reportOn(dir, { file: mine })).toMatchObject({
      code: 1,
      error: [
        `${mine} exists and is no report. Nothing was written; name another file: weave report -o <file>`,
      ],
    })
    expect(await readFile(mine, 'utf8')).toBe('<!doctype html>\n<p>my page')
    expect(await reportOn(dir, { file: dir })).toMatchObject({ code: 1 })
    expect(await reportOn(dir, { file: report })).toMatchObject({ code: 0 })
    expect(await reportOn(dir, { file: report })).toMatchObject({ code: 0, out: [report] })
    expect(await reportOn(dir, { file: join(dir, 'no/such/report.html') })).toMatchObject({
      code: 1,
      error: [expect.stringContaining('The report cannot be written')],
    })
  })

  test('prints the page, or its data for programs', async () => {
    const dir = await place()
    const page = await reportOn(dir, { file: '-' })
    expect(page.out.join()).toMatch(/^<!doctype html>/)
    const json = await reportOn(dir, { json: true })
    expect(JSON.parse(json.out.join())).toMatchObject({
      status: 'crashed',
      totals: { cost: 2.5, tokens: { input: 100, output: 20 } },
      runs: [{ status: 'running', attempts: [{ codonId: 'a', cost: 2.5 }] }],
      events: { seq: [1, 2, 3, 4] },
    })
  })

  test('shows the settings that were written down, and does without those that cannot be read', async () => {
    const dir = await place()
    const settingsOf = async () => {
      const { out } = await reportOn(dir, { json: true })
      return (JSON.parse(out.join()) as { readonly settings: unknown }).settings
    }
    expect(await settingsOf()).toEqual([])
    const file = join(dir, '.weave/settings.json')
    const rows = [{ field: 'port', value: '0', origin: 'default' }]
    await writeFile(file, JSON.stringify(rows))
    expect(await settingsOf()).toEqual(rows)
    for (const damage of ['[{"field":1}]', '[', '']) {
      await writeFile(file, damage)
      expect(await settingsOf()).toEqual([])
    }
  })

  test('fails for what has not begun, and without a page to write', async () => {
    const dir = await spentExecution(await tempDir({ inMemory: true }), { begun: false })
    const expected = `${dir} has not begun: it has no plan yet. Run: weave -e ${dir}`
    expect(await reportOn(dir)).toEqual({ code: 1, out: [], error: [expected] })
    expect(await reportOn(await place(), { parts: undefined })).toMatchObject({
      code: 1,
      error: [expect.stringContaining('--json')],
    })
  })
})
