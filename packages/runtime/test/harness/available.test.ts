import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { npmFailure } from '../../src/harness/npm-install.ts'
import { harnessFolder, resolveHarness } from '../../src/harness/resolve-harness.ts'

const sdk = '@anthropic-ai/claude-agent-sdk'
const program = `${sdk}-${process.platform}-${process.arch}`

/** A program and a home directory without any packages. */
async function nowhere() {
  const folder = await tempDir({ inMemory: true })
  return { program: join(folder, 'lib/weave/dist/weave.cjs'), home: join(folder, 'home') }
}

async function put(folder: string, name: string, version = '0.3.325'): Promise<string> {
  const own = join(folder, 'node_modules', name)
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'package.json'), JSON.stringify({ name, version }))
  if (name === program) await writeFile(join(own, 'claude'), '', { mode: 0o755 })
  return own
}

test('the SDKs of this repository are there', () => {
  expect(resolveHarness('claude')).toMatchObject({ ok: true, where: 'program', version: '0.3.325' })
  expect(resolveHarness('pi')).toMatchObject({ ok: true, where: 'program', version: '0.74.2' })
})

test('a missing one is said with its cure', async () => {
  const places = await nowhere()
  expect(resolveHarness('claude', places)).toEqual({
    ok: false,
    message: 'The Claude Agent SDK is not installed.',
    cure: 'weave harness add claude',
  })
  expect(resolveHarness('pi', places)).toMatchObject({ ok: false, cure: 'weave harness add pi' })
})

test('one without its program for this platform is told apart from a missing one', async () => {
  const places = await nowhere()
  const beside = dirname(dirname(places.program))
  await put(beside, sdk)
  expect(resolveHarness('claude', places)).toMatchObject({
    ok: false,
    message: expect.stringContaining('without its program'),
  })
  const own = await put(beside, program)
  expect(resolveHarness('claude', places)).toMatchObject({ ok: true, where: 'program' })
  await chmod(join(own, 'claude'), 0o644)
  expect(resolveHarness('claude', places).ok).toBe(false)
})

test('what is beside the program comes first, unless it is broken', async () => {
  const places = await nowhere()
  const beside = dirname(dirname(dirname(places.program)))
  for (const name of [sdk, program]) await put(harnessFolder(places.home, 'claude'), name, '0.3.1')
  expect(resolveHarness('claude', places)).toMatchObject({ where: 'home', version: '0.3.1' })
  await put(beside, sdk)
  expect(resolveHarness('claude', places)).toMatchObject({ where: 'home' })
  await put(beside, program)
  expect(resolveHarness('claude', places)).toMatchObject({ where: 'program', version: '0.3.325' })
})

test('half of a harness is none, and a link to a package leads to where it is', async () => {
  const places = await nowhere()
  const folder = harnessFolder(places.home, 'pi')
  const agent = await put(folder, '@earendil-works/pi-coding-agent', '0.74.2')
  expect(resolveHarness('pi', places)).toMatchObject({
    ok: false,
    message: 'The Pi SDK is installed without @earendil-works/pi-ai.',
  })
  const ai = await put(join(places.home, 'elsewhere'), '@earendil-works/pi-ai', '0.74.2')
  await symlink(ai, join(folder, 'node_modules/@earendil-works/pi-ai'))
  expect(resolveHarness('pi', places)).toMatchObject({
    ok: true,
    folders: { '@earendil-works/pi-coding-agent': agent, '@earendil-works/pi-ai': ai },
  })
})

test('a damaged manifest counts as no package', async () => {
  const places = await nowhere()
  const own = await put(harnessFolder(places.home, 'claude'), sdk)
  await writeFile(join(own, 'package.json'), '{ "name":')
  expect(resolveHarness('claude', places)).toMatchObject({
    message: 'The Claude Agent SDK is not installed.',
  })
})

test('what npm says at its end is told in our words', () => {
  const offline = 'npm error code ENOTFOUND\nnpm error errno ENOTFOUND\nnpm error network request failed\n'
  expect(npmFailure('pi', offline).message).toContain(
    'cannot be reached (ENOTFOUND), so the Pi SDK was not installed',
  )
  const full =
    'npm error code ENOSPC\nnpm error syscall write\nnpm error nospc no space left on device\nnpm error A complete log of this run\n'
  expect(npmFailure('claude', full)).toEqual({
    message: 'npm could not install the Claude Agent SDK (ENOSPC): nospc no space left on device',
    cure: 'weave harness add claude',
  })
  expect(npmFailure('claude', 'npm ERR! code E404\nnpm ERR! 404 Not Found\n').message).toContain(
    '(E404): 404 Not Found',
  )
  expect(npmFailure('claude', 'Segmentation fault\n').message).toContain(': Segmentation fault')
})
