import type { Arguments } from '../parse-arguments.ts'

/**
 * What recording and replaying mean for the rest of the command line: both begin at the beginning, unless an execution is
 * named; and a replay asks no provider whether key and model are good.
 */
export function recordingArguments(args: Arguments): Arguments {
  const { texts, switches } = args
  const { record, replay, execution } = texts
  if (record === undefined && replay === undefined) return args
  return {
    ...args,
    switches: new Set([
      ...switches,
      ...(execution === undefined ? (['start-new'] as const) : []),
      ...(replay === undefined ? [] : (['skip-self-test'] as const)),
    ]),
  }
}
