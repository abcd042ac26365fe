import { homedir } from 'node:os'
import { additionsOf, createRegistry, loginFiles, reachingOwn, settled, signedIn } from '@weave/runtime'
import { type Arguments, settingValues } from '../parse-arguments.ts'

/** Whom agents that this process starts can ask: providers with a key or a login here, or that want none. */
export async function ownProviders(args: Arguments): Promise<readonly string[]> {
  const home = homedir()
  const { settings, paths } = await settled({
    flags: settingValues(args),
    runtimeConfig: args.texts['runtime-config'],
    environment: process.env,
    workingDirectory: process.cwd(),
    home,
  })
  const files = additionsOf({ home, modelsFile: paths.modelsFile })
  const { registry } = await createRegistry({ additions: files })
  const environment = reachingOwn(process.env, registry)
  return signedIn(registry.providers, { environment, files: loginFiles(home, settings.agents) })
}
