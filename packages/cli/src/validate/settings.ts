import { listEnvironment, type Prepared } from '@weave/runtime'
import { columns } from '../columns.ts'

/** Every setting with its value and where it came from, then the environment with secrets masked. */
export function settingLines(
  { settings, loaded, runtimeFile }: Prepared,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const rows = Object.entries(settings.sources).map(([field, { value, origin }]) => [
    field,
    JSON.stringify(value),
    origin,
    unread.has(field) ? 'nothing reads it' : '',
  ])
  const required = loaded.hank?.requirements?.env ?? []
  const variables = listEnvironment(environment, required).map(({ name, value }) => [name, value])
  return [
    `Settings${runtimeFile === undefined ? '' : ` (with ${runtimeFile})`}`,
    ...columns(rows),
    '',
    'Environment',
    ...(variables.length > 0 ? columns(variables) : ['  nothing that concerns a run']),
    '',
  ]
}

/** Settings that are accepted and change nothing. */
const unread: ReadonlySet<string> = new Set(['logParsingInterval'])
