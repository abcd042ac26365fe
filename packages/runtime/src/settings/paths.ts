import { dirname, join, resolve } from 'node:path'
import type { Settings } from './resolve.ts'

export interface SettingPaths {
  readonly outputDirectory: string
  readonly executionBaseDir: string
  readonly modelsFile?: string
}

export interface PathBases {
  readonly workingDirectory: string
  readonly home: string
  /** The runtime file that was read, if any: what it names as `modelsFile` is meant from there. */
  readonly runtimeFile?: string | undefined
}

/** The settings that are paths, made absolute. `~` at the start is the home directory. Looks at no disk. */
export function settingPaths(settings: Settings, bases: PathBases): SettingPaths {
  const { workingDirectory, home, runtimeFile } = bases
  const absolute = (path: string, base: string): string => resolve(base, withHome(path, home))
  const { outputDirectory, executionBaseDir, modelsFile } = settings
  const fileBase =
    runtimeFile === undefined ? workingDirectory : dirname(resolve(workingDirectory, runtimeFile))
  return {
    outputDirectory: absolute(outputDirectory, workingDirectory),
    executionBaseDir: absolute(executionBaseDir, workingDirectory),
    ...(modelsFile !== undefined && { modelsFile: absolute(modelsFile, fileBase) }),
  }
}

function withHome(path: string, home: string): string {
  if (path === '~') return home
  return path.startsWith('~/') || path.startsWith('~\\') ? join(home, path.slice(2)) : path
}
