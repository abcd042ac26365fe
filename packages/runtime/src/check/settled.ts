import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Overlay } from '../files/index.ts'
import {
  type FlagValue,
  type ResolvedSettings,
  readGiven,
  readRuntimeFile,
  resolveSettings,
  type SettingPaths,
  type Settings,
  settingPaths,
} from '../settings/index.ts'

/** What settings are read from. */
export interface SettledOptions {
  /** As given on the command line; undefined: the `hank.json` of the working directory. */
  readonly hank?: string | undefined
  readonly flags: readonly FlagValue[]
  /** What `--runtime-config` names. */
  readonly runtimeConfig?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly workingDirectory: string
  readonly home: string
  /** Texts that an editor has not saved; they count instead of what is on the disk. */
  readonly overlay?: Overlay | undefined
}

/** Where executions and outputs lie, for commands that need no hank. */
export async function settledPaths(options: SettledOptions): Promise<SettingPaths> {
  return (await settled(options)).paths
}

/** What holds without a hank. */
export async function settled(
  options: SettledOptions,
): Promise<{ readonly settings: Settings; readonly paths: SettingPaths }> {
  const layers = await readLayers(options)
  const resolved = resolveSettings({ ...layers, environment: options.environment })
  return { settings: resolved.settings, paths: pathsOf(resolved, layers.path, options) }
}

/** What a file names is meant from where the file is; what a variable names, from where the command was given. */
export function pathsOf(
  { settings, sources }: ResolvedSettings,
  runtimeFile: string | undefined,
  { workingDirectory, home }: Pick<SettledOptions, 'workingDirectory' | 'home'>,
): SettingPaths {
  const isFromFile = sources.modelsFile?.origin === 'weave.json'
  return settingPaths(settings, {
    workingDirectory,
    home,
    runtimeFile: isFromFile ? runtimeFile : undefined,
  })
}

/** Flags, variables and the runtime file, read and checked; what the hank adds comes later. */
export async function readLayers({
  hank,
  flags,
  runtimeConfig,
  environment,
  workingDirectory,
  overlay,
}: SettledOptions) {
  const given = await readGiven(flags, environment)
  const hankDirectory = directoryOf(resolve(workingDirectory, hank ?? '.'))
  const search = {
    workingDirectory,
    hankDirectory,
    overlay,
    ...(runtimeConfig !== undefined && { named: runtimeConfig }),
  }
  const file = await readRuntimeFile(search)
  return {
    flags: given.flags.layer,
    variables: given.variables.layer,
    file: file.layer,
    path: file.path,
    agents: file.agents,
    rules: file.rules ?? [],
    servers: { rows: file.mcpServers ?? {}, spotOf: file.spotOf },
    gates: { inFile: file.gates ?? [], spotOf: file.spotOf },
    problems: [...given.flags.problems, ...given.variables.problems, ...file.problems],
  }
}

/** Where the hank lies, or would lie: the path itself when it is a directory. */
function directoryOf(path: string): string {
  try {
    return statSync(path).isDirectory() ? path : dirname(path)
  } catch {
    return dirname(path)
  }
}
