import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Arguments } from '../parse-arguments.ts'

/** Whether somebody wrote nothing but `weave`, where there is no hank: they want to know what this is. */
export async function isFirstLook(
  { positionals, switches, texts }: Arguments,
  workingDirectory: string,
): Promise<boolean> {
  if (positionals.length > 0 || switches.size > 0 || Object.keys(texts).length > 0) return false
  return stat(join(workingDirectory, 'hank.json')).then(
    () => false,
    () => true,
  )
}

export const welcomeLines: readonly string[] = [
  'weave runs a hank: a workflow in a file, which agents work through item by item.',
  'All they do is on record, every version of their files is kept, and a run that',
  'was cut off goes on where it was.',
  '',
  'hank.json does not exist here. To begin:',
  '',
  '  weave init       write a small hank here that explains itself',
  '  weave rehearse   run it without a key: a script answers instead of a model',
  '  weave validate   check everything that a real run needs',
  '  weave            run it',
  '',
  'A hank that lies elsewhere:    weave <directory>',
  'What this machine is missing:  weave doctor',
  'All there is:                  weave --help',
]
