import { formatProblem, readEnvFile } from '@weave/runtime'

/**
 * Adds the variables of a file to the environment of this process, before anything reads it, so that a key in a file is
 * used, lent to agents and kept out of the record as one that was exported. A variable that is there already stays, even
 * an empty one. Returns what is wrong with the file, in lines; then nothing was added.
 */
export async function takeEnvFile(named: string): Promise<readonly string[]> {
  const { variables, problems } = await readEnvFile(named, process.cwd())
  for (const [name, value] of variables) {
    if (!Object.hasOwn(process.env, name)) process.env[name] = value
  }
  return problems.map(problem => formatProblem({ ...problem, where: '--env-file' }))
}
