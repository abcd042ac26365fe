import { homedir } from 'node:os'
import { settledPaths } from '@weave/runtime'
import type { Arguments } from './parse-arguments.ts'

/** Where executions are, for commands that need no hank. */
export async function executionBaseOf({ texts }: Arguments): Promise<string> {
  const { executionBaseDir } = await settledPaths({
    environment: process.env,
    workingDirectory: process.cwd(),
    home: homedir(),
    runtimeConfig: texts['runtime-config'],
    flags: [],
  })
  return executionBaseDir
}

/** The execution that a person means, the newest one unless named. */
export async function namedExecution(word: string | undefined, args: Arguments) {
  const { findExecution } = await import('@weave/runtime')
  return findExecution(word, await executionBaseOf(args))
}
