import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { picturesOfDashboard } from './pictures/dashboard.mjs'
import { screenSvg, themes } from './pictures/screen-svg.mjs'
import { root } from './repository.mjs'

/**
 * `npm run pictures`: the pictures of the handbook, from real rehearsals: the screen out of tmux, the report out of
 * Chromium. Needs both, and a build. They are checked in, because most machines that build the handbook have neither.
 */
const columns = 118
const rows = 34
const places = join(root, 'docs/pictures')
const weave = join(root, 'packages/cli/bin/weave.cjs')
const folder = mkdtempSync(join(tmpdir(), 'weave-pictures-'))
const env = { ...process.env, HOME: folder, WEAVE_RUNTIME_PORT: '0' }
/** Where the picture is taken: the last codon is asked and does not answer. */
const pause = { wait: 120_000, say: 'One moment.' }

try {
  await pictureOfScreen()
  await pictureOfGate()
  await pictureOfReport()
  await pictureOfDashboard()
} finally {
  tmux('kill-server')
  rmSync(folder, { recursive: true, force: true })
}

async function pictureOfScreen() {
  run('init', 'guide')
  const script = join(folder, 'guide/rehearsal.json')
  const { codons, ...rest } = JSON.parse(readFileSync(script, 'utf8'))
  writeFileSync(
    script,
    JSON.stringify({ ...rest, codons: { ...codons, publish: [codons.publish[0], pause] } }),
  )
  const size = ['-x', String(columns), '-y', String(rows)]
  tmux('new-session', '-d', ...size, `cd ${folder}/guide && ${process.execPath} ${weave} rehearse`)
  await shows(/publish started/)
  await setTimeout(1_500)
  await leaveWithPictures('screen')
}

/** The screen as it is now in both themes; then the run is left. @param {string} subject */
async function leaveWithPictures(subject) {
  const screen = tmux('capture-pane', '-p', '-e')
  tmux('send-keys', 'q')
  while (tmux('list-panes') !== '') await setTimeout(200)
  for (const name of ['light', 'dark']) {
    const theme = name === 'light' ? themes.light : themes.dark
    writeFileSync(join(places, `${subject}-${name}.svg`), screenSvg(screen, { columns, theme }))
  }
}

/** The question of the example, with nobody who answers. */
async function pictureOfGate() {
  cpSync(join(root, 'examples/09-gate'), join(folder, 'gate'), { recursive: true })
  const script = join(folder, 'gate/rehearsal.json')
  const { gates: _, ...rest } = JSON.parse(readFileSync(script, 'utf8'))
  writeFileSync(script, JSON.stringify(rest))
  const size = ['-x', String(columns), '-y', '18']
  tmux('new-session', '-d', ...size, `cd ${folder}/gate && ${process.execPath} ${weave} rehearse`)
  await shows(/Waiting at gate/)
  tmux('send-keys', '7')
  await setTimeout(1_500)
  await leaveWithPictures('gate')
}

async function pictureOfReport() {
  cpSync(join(root, 'examples/02-two-agents'), join(folder, 'two-agents'), { recursive: true })
  run('rehearse', 'two-agents', '--headless')
  const page = join(folder, 'report.html')
  run('report', '-o', page)
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const tab = await browser.newPage({ colorScheme, viewport: { width: 1120, height: 700 } })
    await tab.goto(pathToFileURL(page).href)
    const { data } = await (await tab.context().newCDPSession(tab)).send('Page.captureScreenshot', {
      format: 'webp',
      quality: 82,
    })
    writeFileSync(join(places, `report-${colorScheme}.webp`), Buffer.from(data, 'base64'))
  }
  await browser.close()
}

/** A run of the guide that waits for a person. */
async function pictureOfDashboard() {
  const hank = join(folder, 'asked')
  cpSync(join(folder, 'guide'), hank, { recursive: true })
  const message = 'Read the guide before it is published.'
  const gates = [{ id: 'read', before: 'publish', message, show: ['*.md'] }]
  writeFileSync(join(hank, 'weave.json'), JSON.stringify({ gates }))
  await picturesOfDashboard({ weave, folder, env, places }, 'asked')
}

/** @param {string[]} words */
function run(...words) {
  const { status, stderr } = spawnSync(process.execPath, [weave, ...words], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`weave ${words.join(' ')} ended with ${status}:\n${stderr}`)
}

/** @param {string[]} words */
function tmux(...words) {
  const socket = join(folder, 'tmux')
  return spawnSync('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...words], { env, encoding: 'utf8' })
    .stdout
}

/** @param {RegExp} words */
async function shows(words) {
  const end = Date.now() + 90_000
  while (!words.test(tmux('capture-pane', '-p'))) {
    if (Date.now() > end) throw new Error(`The screen does not show ${words}:\n${tmux('capture-pane', '-p')}`)
    await setTimeout(200)
  }
}
