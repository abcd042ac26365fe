import { readGates } from '@weave/runtime'
import { harmlessLine } from 'weave-client'
import { answerGate } from '../../gate/answer-gate.ts'
import { runningServer } from '../../steer/running-server.ts'
import { type Field, failure, value } from '../answers.ts'
import { executionNamed } from '../places.ts'
import type { Run } from '../tool.ts'
import type { Inputs } from './inputs.ts'

const mostFiles = 20

/** What the person fills in: the agent that calls has no say in it. */
const fields: Readonly<Record<string, Field>> = {
  decision: { type: 'string', title: 'Decision', enum: ['approve', 'reject'] },
  note: { type: 'string', title: 'Note for the record', maxLength: 4_000 },
}

/** An agent must not approve itself: only what a person answers counts, and there is no token that stands for it. */
export const decideGate: Run<Inputs['decide_gate']> = async ({ execution, gate }, at, call) => {
  const named = await executionNamed(execution, at)
  if (!named.ok) return named.answer
  const { layout, name, file } = named
  const { waiting } = await readGates(layout)
  if (!waiting || (gate !== undefined && waiting.data.gateId !== gate)) {
    const what = waiting ? `It waits at gate ${waiting.data.gateId}.` : 'No gate waits.'
    return failure('UNKNOWN_GATE', `${what} get_execution says where ${name} is.`)
  }
  const matter = {
    tool: 'decide_gate',
    execution: layout.dir,
    what: waiting.data.gateId,
    at: `${waiting.seq}`,
  }
  if (call.said) {
    const { decision, note } = call.said.content
    if (!call.said.isAccepted || (decision !== 'approve' && decision !== 'reject'))
      return failure('DECLINED', 'The person has not decided. The gate waits on.')
    if (!at.confirmations.take('asked', call.said.state ?? '', matter))
      return failure('STALE_PREVIEW', 'The question is another one by now. Nothing was decided. Call again.')
    const server = await runningServer(layout, { positionals: [], switches: new Set(), texts: {} })
    const text = typeof note === 'string' && note.trim() !== '' ? note.slice(0, 4_000) : undefined
    const said = await at.whole(
      answerGate({ layout, file }, { seq: waiting.seq, decision, note: text }, server),
    )
    if (!said.ok) return failure(said.code ?? 'GATE_STALE', said.message)
    return value({ execution: name, gate: waiting.data.gateId, decision })
  }
  if (!call.canAsk)
    return failure(
      'CONFIRMATION_REQUIRED',
      `Only a person decides on a gate, and nobody can be asked here. They say: weave gate approve ${name}, or weave gate reject ${name}`,
    )
  const state = at.confirmations.give('asked', matter)
  return { kind: 'ask', message: questionOf(name, waiting.data), state, fields }
}

function questionOf(
  name: string,
  waiting: NonNullable<Awaited<ReturnType<typeof readGates>>['waiting']>['data'],
) {
  const { gateId, next, message, files = [], checkpoint } = waiting
  const shown = files.slice(0, mostFiles).map(({ path, action }) => `${action} ${harmlessLine(path)}`)
  return [
    `${name} waits at gate ${gateId}${next === undefined ? ' before its end' : ` before ${next}`}. Go on?`,
    ...(message === undefined ? [] : [harmlessLine(message)]),
    ...shown,
    ...(files.length > mostFiles ? [`and ${files.length - mostFiles} more files`] : []),
    ...(checkpoint === undefined ? [] : [`checkpoint ${checkpoint.slice(0, 8)}`]),
  ].join('\n')
}
