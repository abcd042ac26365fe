import type { CompletedCommand, CompletedFlag, CompletionModel } from './completion-model.ts'

/** A script for fish: one line for each thing that can be offered, with what it is for. */
export function fishScript({ commands, ofRun }: CompletionModel): string {
  const names = commands.map(({ name }) => name).join(' ')
  const none = `not __fish_seen_subcommand_from ${names}`
  const own = commands.map(
    ({ name, summary }) => `complete -c weave -n '__fish_use_subcommand' -a ${name} -d ${quoted(summary)}`,
  )
  const rest = commands.flatMap(command =>
    commandLines(command, `__fish_seen_subcommand_from ${command.name}`),
  )
  return `${['# weave: completion for fish', ...own, ...commandLines(ofRun, none), ...rest].join('\n')}\n`
}

function commandLines({ flags, words }: CompletedCommand, when: string): readonly string[] {
  const begin = `complete -c weave -n '${when}'`
  const positional = words.length > 0 ? [`${begin} -f -a ${quoted(words.join(' '))}`] : []
  return [...positional, ...flags.map(flag => `${begin} ${flagWords(flag)}`)]
}

function flagWords({ name, short, summary, takes, words }: CompletedFlag): string {
  const values = {
    nothing: [],
    file: ['-r', '-F'],
    directory: ['-x', '-a', "'(__fish_complete_directories)'"],
    text: ['-x', ...(words.length > 0 ? ['-a', quoted(words.join(' '))] : [])],
  }[takes]
  const spellings = ['-l', name, ...(short === undefined ? [] : ['-s', short])]
  return [...spellings, ...values, '-d', quoted(summary)].join(' ')
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
