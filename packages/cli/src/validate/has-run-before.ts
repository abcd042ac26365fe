import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** So many are looked at. */
const mostNames = 200

/** Whether an execution of a hank is there. Only a look, without the code that reads executions: nothing is checked. */
export function hasRunBefore(executionBaseDir: string, hankPath: string): boolean {
  const mention = JSON.stringify(hankPath)
  return namesIn(executionBaseDir)
    .slice(-mostNames)
    .some(name => textOf(join(executionBaseDir, name, '.weave/execution.json')).includes(mention))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
