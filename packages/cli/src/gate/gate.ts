import { basename } from 'node:path'
import { type GateQuestion, readGates } from '@weave/runtime'
import { dateText, durationText, harmlessLine } from 'weave-client'
import { shellWord } from '../go-on.ts'
import { type ChosenExecution, chooseExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { runningServer } from '../steer/running-server.ts'
import type { Terminal } from '../terminal.ts'
import { answerGate } from './answer-gate.ts'

const deeds = ['list', 'approve', 'reject'] as const
type Deed = (typeof deeds)[number]

/** `weave gate [list|approve|reject] [execution]`: what a run waits for, and the answer to it. */
export async function gateCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const words = wordsOf(args.positionals)
  const { deed, execution: word } = words
  if (words.rest.length > 0) {
    terminal.error(`Too many words: ${words.rest.join(' ')}. Write: weave gate ${deed} [execution]`)
    return exitCodes.usage
  }
  if (deed === 'list' && args.texts.note !== undefined) {
    terminal.error('A note belongs to a decision: weave gate approve -m "…", or weave gate reject -m "…".')
    return exitCodes.usage
  }
  if ((args.texts.note ?? '').length > longestNote) {
    terminal.error(`A note has at most ${longestNote} characters; this one has ${args.texts.note?.length}.`)
    return exitCodes.usage
  }
  const chosen = await chooseExecution(args, terminal, { word, prefersRunning: true })
  if (!chosen.ok) return chosen.code
  const { waiting, holds } = await readGates(chosen.layout)
  if (deed === 'list') return list({ waiting, holds, chosen }, args, terminal)
  const wanted = args.texts.gate
  if (!waiting || (wanted !== undefined && waiting.data.gateId !== wanted)) {
    terminal.error(waiting ? `It waits at gate ${waiting.data.gateId}, not at ${wanted}.` : 'No gate waits.')
    return exitCodes.failed
  }
  const answer = { seq: waiting.seq, decision: deed, note: args.texts.note }
  const server = await runningServer(chosen.layout, args)
  const said = await answerGate(chosen, answer, server)
  if (!said.ok) terminal.error(said.message)
  else if (args.switches.has('json')) terminal.json(JSON.stringify(said.decided, null, 2))
  else terminal.out(said.text)
  return said.ok ? exitCodes.done : exitCodes.failed
}

const longestNote = 4_000

/** Without a word for what to do it is a list; a word that is none names an execution. */
function wordsOf([first, second, ...rest]: readonly string[]) {
  const deed: Deed | undefined = deeds.find(each => each === first)
  if (deed) return { deed, execution: second, rest }
  return { deed: 'list', execution: first, rest: second === undefined ? rest : [second, ...rest] } as const
}

interface Found {
  readonly waiting: GateQuestion | undefined
  readonly holds: Awaited<ReturnType<typeof readGates>>['holds']
  readonly chosen: ChosenExecution
}

/** Something that waits is good news for a script, nothing is not. */
function list({ waiting, holds, chosen }: Found, args: Arguments, terminal: Terminal): ExitCode {
  const name = basename(chosen.layout.dir)
  if (args.switches.has('json')) {
    const seen = waiting && { seq: waiting.seq, since: waiting.since, ...waiting.data }
    terminal.json(
      JSON.stringify({ execution: chosen.layout.dir, ...(seen && { waiting: seen }), holds }, null, 2),
    )
    return waiting ? exitCodes.done : exitCodes.failed
  }
  for (const { gateId, before } of holds)
    if (gateId !== waiting?.data.gateId)
      terminal.out(`hold ${gateId} ${before === undefined ? 'before the next codon' : `before ${before}`}`)
  if (!waiting) {
    terminal.out('No gate waits.')
    return exitCodes.failed
  }
  const { gateId, next, message, files = [], deadline, checkpoint, round } = waiting.data
  const since = durationText(Math.max(0, Date.now() - Date.parse(waiting.since)))
  const asked = round > 1 ? `, asked ${round} times` : ''
  terminal.out(
    `waits at gate ${gateId} ${next === undefined ? 'before the end' : `before ${next}`}, for ${since}${asked}`,
  )
  if (message !== undefined) terminal.out(`  ${harmlessLine(message)}`)
  for (const { path, action } of files) terminal.out(`  ${action.padEnd(8)} ${harmlessLine(path)}`)
  if (checkpoint !== undefined) terminal.out(`  checkpoint ${checkpoint.slice(0, 8)}`)
  if (deadline !== undefined) terminal.out(`  rejected by itself at ${dateText(deadline)}`)
  for (const line of gateAdvice(name)) terminal.out(line)
  return exitCodes.done
}

/** Lines that work when they are pasted. */
export function gateAdvice(name: string): readonly string[] {
  const word = shellWord(name)
  return [`  weave gate approve ${word} -m "…"`, `  weave gate reject ${word} -m "…"`]
}
