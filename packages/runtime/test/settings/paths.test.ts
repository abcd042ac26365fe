import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { resolveSettings, type Settings, settingPaths } from '../../src/settings/index.ts'

const { settings } = resolveSettings({})
const bases = { workingDirectory: '/w/d', home: '/h' }
const paths = (own: Partial<Settings>, runtimeFile?: string) =>
  settingPaths({ ...settings, ...own }, { ...bases, runtimeFile })

describe('settings that are paths', () => {
  verifies(['2.8/output-directory-base'], '`outputDirectory` is relative to the working directory', () => {
    expect(paths({}).outputDirectory).toBe('/w/d/weave-results')
    expect(paths({ outputDirectory: '../out' }, '/elsewhere/weave.json').outputDirectory).toBe('/w/out')
    expect(paths({ outputDirectory: '/out' }).outputDirectory).toBe('/out')
    expect(paths({ outputDirectory: '~/out' }).outputDirectory).toBe('/h/out')
  })

  it('`executionBaseDir` knows the home directory', () => {
    expect(paths({}).executionBaseDir).toBe('/h/.weave-executions')
    expect(paths({ executionBaseDir: '~' }).executionBaseDir).toBe('/h')
    expect(paths({ executionBaseDir: '~other/x' }).executionBaseDir).toBe('/w/d/~other/x')
    expect(paths({ executionBaseDir: 'x' }).executionBaseDir).toBe('/w/d/x')
  })

  it('`modelsFile` is relative to the file that names it', () => {
    expect(paths({})).not.toHaveProperty('modelsFile')
    expect(paths({ modelsFile: 'm.json' }, '/c/weave.json').modelsFile).toBe('/c/m.json')
    expect(paths({ modelsFile: 'm.json' }, 'sub/weave.json').modelsFile).toBe('/w/d/sub/m.json')
    expect(paths({ modelsFile: 'm.json' }).modelsFile).toBe('/w/d/m.json')
  })
})
